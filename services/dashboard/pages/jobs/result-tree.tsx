/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact'
import type { ShownValue } from '#packages/content/results/shown-value.ts'

/** A longer text is folded, characters. */
const FOLDED_FROM = 300
/** How many levels of groups are open at first in a large result. */
const OPEN_DEPTH = 2
/** A result with at most this many values is completely open. */
const SMALL = 60

/** A JSON value as a tree of groups that open. */
export const ResultTree = ({ value }: { value: ShownValue }): VNode => (
  <div class="tree">
    <Value value={value} depth={0} openTo={sizeOf(value) <= SMALL ? Number.POSITIVE_INFINITY : OPEN_DEPTH} />
  </div>
)

const sizeOf = (value: ShownValue): number =>
  'entries' in value ? value.entries.reduce((sum, entry) => sum + sizeOf(entry.value), 1) : 1

/** `openTo`: groups above this depth are open at first. */
type ValueParts = { name?: string; value: ShownValue; depth: number; openTo: number }

function Value({ name, value, depth, openTo }: ValueParts): VNode {
  const { type } = value
  if ('entries' in value && value.entries.length + Number(value.isCut) > 0) {
    return (
      <details open={depth < openTo}>
        <summary>
          {name !== undefined && <strong>{name} </strong>}
          <span class="quiet small">{type}</span>
        </summary>
        <ul>
          {value.entries.map((entry) => (
            <li key={entry.name}>
              <Value name={entry.name} value={entry.value} depth={depth + 1} openTo={openTo} />
            </li>
          ))}
          {value.isCut && (
            <li>
              <More />
            </li>
          )}
        </ul>
      </details>
    )
  }
  return (
    <Entry name={name} type={type}>
      {'text' in value ? <Text text={value.text} /> : 'entries' in value ? <span class="quiet">empty</span> : <More />}
    </Entry>
  )
}

const Entry = ({
  name,
  type,
  children,
}: {
  name: string | undefined
  type: string
  children: ComponentChildren
}): VNode => (
  <div class="entry">
    <span>
      {name !== undefined && <strong>{name} </strong>}
      <span class="quiet small">{type}</span>
    </span>
    <div>{children}</div>
  </div>
)

function Text({ text }: { text: string }): VNode {
  if (text.length <= FOLDED_FROM) return <span class="value">{text}</span>
  return (
    <details>
      <summary>
        <span class="value">{text.slice(0, FOLDED_FROM / 2)}…</span>
      </summary>
      <span class="value">{text}</span>
    </details>
  )
}

const More = (): VNode => <span class="quiet">… (the file has the rest)</span>
