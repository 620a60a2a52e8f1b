import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { batch } from './batch.ts'
import { argumentsOf, columns, helpOf, UsageError } from './command.ts'
import { type Command, program, version } from './context.ts'
import { extract } from './extract.ts'
import { linesOf, outcomeCodeOf, outcomes } from './failure.ts'
import { login } from './login.ts'
import { me, metadata, search } from './lookups.ts'
import { mcp } from './mcp.ts'
import { DEFAULT_BASE_URL } from './settings.ts'
import { type Io, print } from './terminal.ts'
import { transcript } from './transcript.ts'
import { watch } from './watch.ts'

export const commands: Readonly<Record<string, Command>> = {
  transcript,
  metadata,
  search,
  extract,
  batch,
  watch,
  login,
  me,
  mcp,
}

export const help = `Usage: ${program} COMMAND [options]

Metadata, transcripts and structured data of public social videos, from a Video Intelligence Service.

Commands:
${columns(Object.entries(commands).map(([name, { about }]) => [name, about]))}

\`${program} COMMAND --help\` shows the options of one.

On a terminal results are text, and progress is shown; in a pipe and with --json they are JSON.

Environment:
  VIDEO_INTELLIGENCE_API_KEY   the key; else that of \`${program} login\`
  VIDEO_INTELLIGENCE_BASE_URL  the address of the service; else that of the login, or ${DEFAULT_BASE_URL}

Exit codes:
${columns(Object.values(outcomes).map(({ code, about }) => [String(code), about]))}`

const commandOf = (name: string): Command | undefined => (Object.hasOwn(commands, name) ? commands[name] : undefined)

/** Before anything is paid for. @throws UsageError */
async function assertWritable(file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK)
  } catch {
    throw new UsageError(`${dirname(file)} is no folder that can be written to`)
  }
}

async function carryOut([name, ...rest]: readonly string[], io: Io, signal: AbortSignal): Promise<void> {
  if (name === undefined) throw new UsageError('a command is missing')
  if (name === '--help' || name === '-h' || name === 'help') return print(io.stdout, help)
  if (name === '--version') return print(io.stdout, version)
  const command = commandOf(name)
  if (command === undefined) throw new UsageError(`there is no command ${name}`)
  const { words, values } = argumentsOf(rest, command)
  if (values.help) return print(io.stdout, helpOf(program, name, command))
  if (values.output !== undefined) await assertWritable(values.output)
  await command.run({ io, words, values, signal })
}

/** Runs one command line, and prints what fails on standard error. @returns the exit code */
export async function run(args: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  try {
    await carryOut(args, io, signal)
    return outcomes.done.code
  } catch (thrown) {
    // After a signal, any error counts as the interruption.
    const error = signal.aborted ? signal.reason : thrown
    const [name = ''] = args
    for (const line of linesOf(error, program, commandOf(name) && name)) print(io.stderr, line)
    return outcomeCodeOf(error)
  }
}
