import { printableLines } from '#packages/foundation/printable/printable.ts'

const width = 80

export const print = (...lines: string[]): void => console.log(printableLines(lines.join('\n')))
export const heading = (text: string): void => print('', text, '-'.repeat(text.length))

/** Breaks text between words into lines of at most `columns` characters. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** A label with a text next to it, wrapped to fit the page. */
export function entry(label: string, text: string, labelColumns = 20): string {
  const lines = wrap(text, width - labelColumns)
  return lines.map((line, i) => `${(i === 0 ? label : '').padEnd(labelColumns)}${line}`).join('\n')
}

/** Seconds as minutes and seconds: `0:07.3`. */
export function clockTime(seconds: number): string {
  const tenths = Math.round(seconds * 10)
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`
}

/** Shows progress: on one line of a terminal; elsewhere on a new line for each status and every 5 seconds. */
export class Progress {
  readonly #out: NodeJS.WriteStream
  #status = ''
  #printedAt = 0

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  show(seconds: number, status: string): void {
    const line = `  ${seconds.toFixed(1).padStart(5)} s  ${status}`
    if (this.#out.isTTY) this.#out.write(`\r${line.padEnd(width - 1)}`)
    else if (status === this.#status && seconds - this.#printedAt < 5) return
    else this.#out.write(`${line}\n`)
    this.#status = status
    this.#printedAt = seconds
  }

  end(): void {
    if (this.#out.isTTY) this.#out.write('\n')
  }
}
