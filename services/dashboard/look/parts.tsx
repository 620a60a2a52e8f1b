/** @jsxRuntime automatic @jsxImportSource preact */
/** The small parts that pages consist of. */
import { type ComponentChildren, Fragment, type InputHTMLAttributes, type VNode } from 'preact'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { Marked } from './marked.tsx'

/** The problems of a form by field name; '' has those that concern no field. */
export type Problems = Readonly<Record<string, string>>

/** The message for each field of an invalid_request; '' has the message of any other error. */
export function problemsOf(error: ServiceError): Problems {
  const details: unknown = error.details
  if (error.code !== 'invalid_request' || !Array.isArray(details)) return { '': error.message }
  return Object.fromEntries(details.map(({ path, message }: { path: string; message: string }) => [path, message]))
}

type FieldParts = {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search'
  value?: string | undefined
  hint?: string | undefined
  problems?: Problems | undefined
  required?: boolean
  autocomplete?: string
  maxLength?: number
  /** A regular expression that the browser checks before it sends the form. */
  pattern?: string
  min?: number | string
  max?: number | string
}

type NotesParts = Pick<FieldParts, 'name' | 'label' | 'hint' | 'problems'>

/** The attributes of an input that name its `Notes`. */
export function describedBy({ name, hint, problems }: NotesParts) {
  const problem = problems?.[name]
  const about = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  return { 'aria-describedby': about || undefined, 'aria-invalid': problem !== undefined }
}

/** The hint and the problem of a field. Text in backticks becomes code in the hint. */
export const Notes = ({ name, label, hint, problems }: NotesParts): VNode => (
  <>
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        <Marked text={hint} />
      </p>
    )}
    {problems?.[name] && (
      <p class="problem" id={`${name}-problem`}>
        {`${label} ${problems[name]}`}
      </p>
    )}
  </>
)

/** A text field with its label, its hint and its problem. */
export function Field({ hint, problems, ...input }: FieldParts): VNode {
  const { name, label, type = 'text', value, ...rest } = input
  const notes = { name, label, hint, problems }
  // The attributes of an input depend on its kind, which is unknown here.
  const attributes = {
    id: name,
    name,
    type,
    value,
    ...describedBy(notes),
    ...rest,
  } as InputHTMLAttributes<HTMLInputElement>
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input {...attributes} />
      <Notes {...notes} />
    </div>
  )
}

type SelectParts = {
  name: string
  label: string
  value?: string | undefined
  options: readonly (readonly [value: string, text: string])[]
}

export const Select = ({ name, label, value = '', options }: SelectParts): VNode => (
  <div class="field">
    <label for={name}>{label}</label>
    <select id={name} name={name}>
      <Options options={options} value={value} />
    </select>
  </div>
)

/** The choices of a select. */
export const Options = ({ options, value }: Pick<SelectParts, 'options' | 'value'>): VNode => (
  <>
    {options.map(([each, text]) => (
      <option key={each} value={each} selected={each === value}>
        {text}
      </option>
    ))}
  </>
)

/** A problem of the form as a whole. */
export const FormProblem = ({ problems }: { problems: Problems | undefined }): VNode | null =>
  problems?.[''] === undefined ? null : (
    <p class="notice bad" role="alert">
      {problems['']}
    </p>
  )

export const Notice = ({ tone, children }: { tone?: 'good' | 'warn' | 'bad'; children: ComponentChildren }): VNode => (
  <div class={`notice ${tone ?? ''}`}>{children}</div>
)

export const Stat = ({
  name,
  value,
  note,
}: {
  name: string
  value: ComponentChildren
  note?: ComponentChildren
}): VNode => (
  <div class="card stat">
    <span class="stat-name">{name}</span>
    <span class="stat-value">{value}</span>
    {note && <span class="quiet small">{note}</span>}
  </div>
)

/** The button that sends a form. `tone`: its CSS classes. */
export const Submit = ({ tone = 'main', children }: { tone?: string; children: ComponentChildren }): VNode => (
  <button class={tone} type="submit">
    {children}
  </button>
)

/** The button that sends a form, and the way back without sending it. */
export const SendOrCancel = ({
  act,
  tone = 'main',
  back,
}: {
  act: string
  tone?: 'main' | 'bad'
  back: string
}): VNode => (
  <div class="row">
    <Submit tone={tone}>{act}</Submit>
    <a class="button" href={back}>
      Cancel
    </a>
  </div>
)

/** Replaces a list that is still empty, and shows the next step. */
export const Empty = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <div class="card empty">
    <h2>{title}</h2>
    {children}
  </div>
)

/** Text to copy, such as a key or a command. The button appears only if scripts run. */
export const CopyBox = ({ text }: { text: string }): VNode => (
  <div class="copy-box" data-island="copy">
    <pre>
      <code>{text}</code>
    </pre>
    <button type="button" data-copy hidden>
      Copy
    </button>
  </div>
)

/** A short text with a button that copies it, if scripts run. */
export const Copied = ({ text }: { text: string }): VNode => (
  <span data-island="copy">
    <code>{text}</code>{' '}
    <button type="button" class="link" data-copy hidden>
      Copy
    </button>
  </span>
)

type FactsParts = {
  /** By their names. A fact without a value is left out. */
  facts: Readonly<Record<string, ComponentChildren>>
  /** The names of long values, which may break anywhere. */
  breaks?: readonly string[]
}

/** Names and values that describe one thing. */
export const Facts = ({ facts, breaks = [] }: FactsParts): VNode => (
  <dl class="facts">
    {Object.entries(facts).map(
      ([name, value]) =>
        value && (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class={breaks.includes(name) ? 'breaks' : undefined}>{value}</dd>
          </Fragment>
        ),
    )}
  </dl>
)

const numbers = new Intl.NumberFormat('en')

export const formatNumber = (value: number): string => numbers.format(value)

/** A number of credits. */
export const creditsWords = (count: number): string => (count === 1 ? '1 credit' : `${formatNumber(count)} credits`)

/** A change of a balance, with its sign. */
export const formatSigned = (credits: number): string =>
  credits === 0 ? '0' : `${credits > 0 ? '+' : '−'}${formatNumber(Math.abs(credits))}`

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The day (UTC) of an instant, such as `1 December 2026`. @param at ISO 8601, or milliseconds since 1970 */
export const formatDay = (at: string | number): string => days.format(new Date(at))

const shortDays = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

const inUtc = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

/** The day of an instant (ISO 8601), for tables without room for the time of day. Otherwise like `Time`. */
export const Day = ({ at }: { at: string }): VNode => (
  <time dateTime={at} title={inUtc(at)} data-island="time" data-shows="day">
    {shortDays.format(new Date(at))}
  </time>
)

/**
 * An instant (ISO 8601), in the reader's time zone if scripts run, and otherwise in UTC. The tooltip is always in UTC.
 * @param exact to the second
 */
export const Time = ({ at, exact = false }: { at: string; exact?: boolean }): VNode => (
  <time dateTime={at} title={inUtc(at)} data-island="time" data-shows={exact ? 'second' : undefined}>
    {`${at.slice(0, 10)} ${at.slice(11, exact ? 19 : 16)}`}
  </time>
)

/** The time zone of a table's times. The script that shows them in the reader's zone changes this text too. */
export const Zone = (): VNode => <span data-island="zone">Times are in UTC.</span>

export const formatSeconds = (seconds: number): string => {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A link, but only to the web: an address from a video could begin with `javascript:`. */
export const OutLink = ({
  href,
  look,
  children,
}: {
  href: string
  /** Its CSS classes. */
  look?: string
  children: ComponentChildren
}): VNode =>
  /^https?:\/\//i.test(href) ? (
    <a class={look} href={href} rel="noreferrer noopener">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )

/** A table that scrolls sideways if it is too wide. The keyboard must reach it. */
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }): VNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
)

/** The name of a column. Columns of numbers are aligned right. */
export type Column = string | { number: string }

export const TableHead = ({ columns }: { columns: readonly Column[] }): VNode => (
  <thead>
    <tr>
      {columns.map((column) =>
        typeof column === 'string' ? (
          <th key={column} scope="col">
            {column}
          </th>
        ) : (
          <th key={column.number} scope="col" class="number">
            {column.number}
          </th>
        ),
      )}
    </tr>
  </thead>
)
