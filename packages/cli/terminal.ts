import { writeFile } from 'node:fs/promises'
import { printableLines } from '../foundation/printable/printable.ts'
import type { SharedValues } from './command.ts'
import type { Environment } from './settings.ts'

/** A stream for output. `isTTY`: it is a terminal. */
export type Sink = {
  isTTY?: boolean
  columns?: number
  write(text: string | Uint8Array, done?: (error?: Error | null) => void): unknown
}

export type Io = {
  stdin: NodeJS.ReadStream
  stdout: Sink
  stderr: Sink
  env: Environment
}

/** The streams of a command, and the options of every command. */
export type Place = { io: Io; values: SharedValues }

/** Text from strangers must not control a terminal. Files and pipes receive it unchanged. */
export function print(to: Sink, text: string): void {
  to.write(`${to.isTTY ? printableLines(text) : text}\n`)
}

/** Whether a person reads the result and has not requested JSON. */
export const isForPerson = ({ io, values }: Place): boolean =>
  io.stdout.isTTY === true && values.json !== true && values.output === undefined

/** Writes text to --output, or to standard output. */
export async function writeText({ io, values: { output } }: Place, text: string): Promise<void> {
  const lines = text.replace(/\n$/, '')
  if (output === undefined) return print(io.stdout, lines)
  await writeFile(output, `${lines}\n`)
  if (io.stderr.isTTY) print(io.stderr, `${output} was written.`)
}

/** Writes a result: `text` for a person, JSON for a pipe, a file or --json. */
export function writeResult(place: Place, result: unknown, text: () => string): Promise<void> {
  return writeText(place, isForPerson(place) ? text() : JSON.stringify(result, null, 2))
}

const TICK_MS = 1000
const FALLBACK_COLUMNS = 80

/** One line on a terminal that says what happens and for how long. Elsewhere nothing is shown. */
export class Progress implements Disposable {
  readonly #to: Sink
  readonly isShown: boolean
  readonly #startedAt = performance.now()
  #status = ''
  readonly #ticking: NodeJS.Timeout | undefined

  constructor({ io, values }: Place) {
    this.#to = io.stderr
    this.isShown = io.stderr.isTTY === true && values.quiet !== true
    this.#ticking = this.isShown ? setInterval(() => this.#draw(), TICK_MS).unref() : undefined
  }

  show(status: string): void {
    this.#status = status
    this.#draw()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking)
    if (this.isShown) this.#to.write('\r\u001B[K')
  }

  #draw(): void {
    if (!this.isShown) return
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1000)
    const line = printableLines(`${this.#status} · ${seconds} s`.replaceAll('\n', ' '))
    this.#to.write(`\r\u001B[K${line.slice(0, (this.#to.columns || FALLBACK_COLUMNS) - 1)}`)
  }
}

/** Shows what is being done, and for how long, until it is done. */
export async function withProgress<T>(
  place: Place,
  status: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  using progress = new Progress(place)
  progress.show(status)
  return await work(progress)
}
