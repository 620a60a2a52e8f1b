import { printable } from '#packages/foundation/printable/printable.ts'
import type { DeadLetter } from '#packages/ports/work-queue.ts'

export type DeadLetterCommand = { type: 'list' } | { type: 'replay'; id: string }

/** The command line holds no valid command. */
export class UsageError extends Error {
  readonly code = 'usage'
}

/** @throws UsageError with what is wrong */
export function parseDeadLetterCommand(words: readonly string[]): DeadLetterCommand {
  const [type, id, ...rest] = words
  if (type === 'list' && id === undefined) return { type }
  if (type === 'replay' && id !== undefined && rest.length === 0) return { type, id }
  throw new UsageError(type === undefined ? 'a command is missing' : `there is no command ${words.join(' ')}`)
}

const MAX_SHOWN = 300

/** One line of the list: id, time, reason and the beginning of the message. */
export function deadLetterLine({ id, at, reason, message }: DeadLetter): string {
  const shown = message.length > MAX_SHOWN ? `${message.slice(0, MAX_SHOWN)}…` : message
  // Text from outside must not move the cursor.
  const line = [id, new Date(at).toISOString(), reason, shown].join('  ')
  return printable(line.replace(/[\p{Cc}\u2028\u2029]/gu, ' '))
}
