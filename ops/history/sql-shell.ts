import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { MANIFEST } from '#packages/history/archive/manifest.ts'
import { openTables, type Tables } from '../analysts/open-tables.ts'
import { printAnswer } from '../analysts/print-answer.ts'
import { runQuery } from '../analysts/run-query.ts'
import type { AnswerFormat, Print } from './command.ts'

/** The input of questions, and the output of the prompt. Answers are printed elsewhere. */
export type Console = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; isTerminal: boolean }

type Output = { print: Print; tell: Print }

const PROMPT = 'sql> '
const GOES_ON = '...> '

const help = `SQL, ended by ; on one line or on several. Only SELECT and the like are run.
.tables          the tables; DESCRIBE jobs; tells the columns of one
.help            this
.quit            ends, as Ctrl-D does
Ctrl-C           ends the statement that is written or runs`

/** A text, a quoted name, a comment, or a `;`. An unclosed piece extends to the end. */
const pieces = /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|--.*|\/\*[\s\S]*?(?:\*\/|$)|;/g

/** Splits input at each `;` that ends a statement. @returns the statements, and the start of the next */
function statementsOf(text: string): { statements: string[]; rest: string } {
  const statements: string[] = []
  let from = 0
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    if (piece !== ';') continue
    statements.push(text.slice(from, index))
    from = index + 1
  }
  return { statements, rest: text.slice(from) }
}

/** Whether a statement has nothing but comments. */
const isEmpty = (statement: string): boolean => statement.replace(/--.*|\/\*[\s\S]*?\*\//g, '').trim() === ''

/** The tables of an archive. They are reopened when another process has changed the archive. */
class CurrentTables implements AsyncDisposable {
  readonly #directory: string
  #tables: Tables | undefined
  #writtenAt = 0

  constructor(directory: string) {
    this.#directory = directory
  }

  async current(): Promise<Tables> {
    const { mtimeMs } = statSync(join(this.#directory, MANIFEST))
    if (this.#tables !== undefined && mtimeMs === this.#writtenAt) return this.#tables
    await this[Symbol.asyncDispose]()
    this.#writtenAt = mtimeMs
    this.#tables = await openTables(this.#directory)
    return this.#tables
  }

  /** Interrupts the running question. */
  interrupt(): void {
    this.#tables?.connection.interrupt()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tables?.[Symbol.asyncDispose]()
    this.#tables = undefined
  }
}

/**
 * Answers statements one after another, from a person or a pipe. A failed statement does not end it.
 * @returns false if a statement from a pipe failed
 */
export async function sqlShell(
  directory: string,
  format: AnswerFormat,
  { input, output, isTerminal }: Console,
  context: Output,
): Promise<boolean> {
  await using tables = new CurrentTables(directory)
  await tables.current()
  const lines = createInterface({ input, output, terminal: isTerminal, prompt: PROMPT })
  const shell = new Shell(lines, { tables, format, context })
  if (isTerminal) {
    lines.on('SIGINT', () => shell.interrupt())
    context.tell('.help tells what can be asked')
    lines.prompt()
  }
  for await (const line of lines) {
    if (!(await shell.take(line))) break
    if (isTerminal) lines.prompt()
  }
  if (!isTerminal) await shell.end()
  return isTerminal || !shell.hasFailed
}

class Shell {
  readonly #lines: Interface
  readonly #tables: CurrentTables
  readonly #format: AnswerFormat
  readonly #context: Output
  #written = ''
  #runs = false
  hasFailed = false

  constructor(lines: Interface, about: { tables: CurrentTables; format: AnswerFormat; context: Output }) {
    this.#lines = lines
    this.#tables = about.tables
    this.#format = about.format
    this.#context = about.context
  }

  /** @returns false if the line asks to quit */
  async take(line: string): Promise<boolean> {
    const word = line.trim()
    if (this.#written === '' && word.startsWith('.')) {
      if (word === '.quit') return false
      await this.#command(word)
      return true
    }
    const { statements, rest } = statementsOf(`${this.#written}${line}\n`)
    this.#goOn(rest)
    for (const statement of statements) await this.#run(statement)
    return true
  }

  /** The last statement of a pipe needs no `;`. */
  async end(): Promise<void> {
    if (this.#written !== '') await this.#run(this.#written)
  }

  /** Ctrl-C. */
  interrupt(): void {
    if (this.#runs) this.#tables.interrupt()
    else this.#begin()
  }

  #begin(): void {
    this.#goOn('')
    // The rest of the typed line is cleared too.
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
    this.#lines.prompt()
  }

  #goOn(rest: string): void {
    this.#written = isEmpty(rest) ? '' : rest
    this.#lines.setPrompt(this.#written === '' ? PROMPT : GOES_ON)
  }

  async #command(word: string): Promise<void> {
    if (word === '.tables') return await this.#run('SHOW TABLES')
    if (word !== '.help') this.hasFailed = true
    for (const line of word === '.help' ? help.split('\n') : [`there is no ${word}: .help tells what there is`])
      this.#context.tell(line)
  }

  async #run(statement: string): Promise<void> {
    if (isEmpty(statement)) return
    this.#runs = true
    try {
      const { connection } = await this.#tables.current()
      await printAnswer(await runQuery(connection, statement), this.#format, this.#context)
    } catch (error) {
      this.hasFailed = true
      // DuckDB shows the position on lines of its own.
      for (const line of String((error as Error).message).split('\n')) this.#context.tell(line)
    } finally {
      this.#runs = false
    }
  }
}
