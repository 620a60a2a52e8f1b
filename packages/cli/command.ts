import { parseArgs } from 'node:util'

/** An option of a command. `value`: what stands for its value in the help; without it, the option is a switch. */
export type Option = { value?: string; short?: string; about: string }
export type Options = Readonly<Record<string, Option>>

/** The given options, by name. */
export type ValuesOf<O extends Options> = {
  readonly [N in keyof O]?: O[N] extends { value: string } ? string : boolean
}

/** A command, as `help` shows it. `words`: its arguments, such as `URL`. */
export type Syntax<O extends Options> = { words: string; about: string; more?: string; options: O }

/** The command line is invalid. The message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Options of every command. */
export const sharedOptions = {
  'base-url': { value: 'URL', about: 'address of the service' },
  json: { about: 'JSON, also on a terminal' },
  output: { value: 'FILE', short: 'o', about: 'write the result into this file' },
  quiet: { short: 'q', about: 'show no progress' },
  help: { short: 'h', about: 'this text' },
} as const satisfies Options

export type SharedValues = ValuesOf<typeof sharedOptions>

/** The arguments of a command. @throws UsageError */
export function argumentsOf<O extends Options>(
  args: readonly string[],
  { options }: Pick<Syntax<O>, 'options'>,
): { words: string[]; values: ValuesOf<O> & SharedValues } {
  const all = Object.entries({ ...sharedOptions, ...options } as Options)
  const config = Object.fromEntries(
    all.map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) } as const,
    ]),
  )
  try {
    const { positionals, values } = parseArgs({ args: [...args], options: config, allowPositionals: true })
    return { words: positionals, values: values as ValuesOf<O> & SharedValues }
  } catch (error) {
    // Node's messages name the option; what follows the first sentence is about positional arguments.
    throw new UsageError((error as Error).message.split('. ')[0], { cause: error })
  }
}

/** The only word. @throws UsageError if there is none or more than one */
export function oneWord(words: readonly string[], name: string): string {
  const [word, ...rest] = words
  if (word === undefined || word === '') throw new UsageError(`${name} is missing`)
  if (rest.length > 0) throw new UsageError(`unexpected: ${rest.join(' ')}`)
  return word
}

/** One of the allowed values, or undefined. @throws UsageError for another */
export function choice<T extends string>(
  name: string,
  given: string | undefined,
  allowed: readonly T[],
): T | undefined {
  const found = allowed.find((one) => one === given)
  if (found !== undefined || given === undefined) return found
  throw new UsageError(`--${name} must be one of ${allowed.join(', ')}`)
}

/** A whole number from 0 on, or undefined. @throws UsageError */
export function wholeNumber(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new UsageError(`--${name} must be a whole number`)
}

/** The value without the fields that are undefined, for bodies and queries. */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

const labelOf = (name: string, { value, short }: Option): string =>
  `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`

/** Lines of two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`.trimEnd()).join('\n')
}

const optionLines = (options: Options): string =>
  columns(Object.entries(options).map(([name, option]) => [labelOf(name, option), option.about]))

/** The help of one command. */
export function helpOf(program: string, name: string, { words, about, more, options }: Syntax<Options>): string {
  const own = Object.keys(options).length > 0 ? `\n\nOptions:\n${optionLines(options)}` : ''
  return `Usage: ${program} ${name} ${words === '' ? '' : `${words} `}[options]

${about}${more === undefined ? '' : `\n\n${more}`}${own}

Options of every command:
${optionLines(sharedOptions)}`
}
