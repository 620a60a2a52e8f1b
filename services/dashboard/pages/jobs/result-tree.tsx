/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact'
import { htmlBytes } from './page-weight.ts'

/** What is shown of one result, bytes; the file has all of it. */
const SHOWN_BYTES = 30_000
/** A longer text is folded, characters. */
const FOLDED_FROM = 300
/** Groups within groups that are shown, and that are open at first. */
const [MAX_DEPTH, OPEN_DEPTH] = [12, 2]
/** About what an entry weighs besides its text, bytes. */
const ENTRY_BYTES = 160

/** Counts down what may still be shown. */
class Room {
  #left = SHOWN_BYTES

  /** Whether an entry with this text still fits. */
  take(text: string): boolean {
    this.#left -= htmlBytes(text) + ENTRY_BYTES
    return this.#left >= 0
  }
}

/** A JSON value as a tree of groups that open. */
export const ResultTree = ({ value }: { value: unknown }): VNode => (
  <div class="tree">
    <Value value={value} depth={0} room={new Room()} />
  </div>
)

type ValueParts = { name?: string | undefined; value: unknown; depth: number; room: Room }

function Value({ name, value, depth, room }: ValueParts): VNode {
  if (typeof value === 'object' && value !== null) return <Group name={name} value={value} depth={depth} room={room} />
  return (
    <Entry name={name} type={typeWords(value)}>
      <Text text={value === null ? '–' : String(value)} room={room} />
    </Entry>
  )
}

type GroupParts = { name: string | undefined; value: object; depth: number; room: Room }

function Group({ name, value, depth, room }: GroupParts): VNode {
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const type = isList
    ? counted(entries.length, 'list of', 'entry', 'entries')
    : counted(entries.length, 'group of', 'field', 'fields')
  if (entries.length === 0 || depth >= MAX_DEPTH)
    return (
      <Entry name={name} type={type}>
        {entries.length === 0 ? <span class="quiet">empty</span> : <More />}
      </Entry>
    )
  const shown: VNode[] = []
  for (const [key, each] of entries) {
    if (!room.take(key)) {
      shown.push(
        <li key="more">
          <More />
        </li>,
      )
      break
    }
    const label = isList ? String(Number(key) + 1) : key
    shown.push(
      <li key={key}>
        <Value name={label} value={each} depth={depth + 1} room={room} />
      </li>,
    )
  }
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary>
        {name !== undefined && <strong>{name} </strong>}
        <span class="quiet small">{type}</span>
      </summary>
      <ul>{shown}</ul>
    </details>
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

function Text({ text, room }: { text: string; room: Room }): VNode {
  if (!room.take(text)) return <More />
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

const counted = (count: number, what: string, one: string, many: string): string =>
  `${what} ${count} ${count === 1 ? one : many}`

function typeWords(value: unknown): string {
  if (value === null) return 'nothing'
  if (typeof value === 'boolean') return 'true or false'
  return typeof value === 'number' ? 'number' : 'text'
}
