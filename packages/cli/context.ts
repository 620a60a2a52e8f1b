import { VideoIntelligence } from '../client/client.ts'
import { VideoIntelligenceError } from '../client/error.ts'
import { type Options, type SharedValues, type Syntax, UsageError, type ValuesOf } from './command.ts'
import manifest from './package.json' with { type: 'json' }
import { type Connection, connectionOf } from './settings.ts'
import type { Io, Place } from './terminal.ts'

export const program = manifest.name
export const version = manifest.version

/** What a command is run with. `signal`: aborted by Ctrl-C, with an Interrupted as its reason. */
export type Context<O extends Options = Options> = {
  io: Io
  words: readonly string[]
  values: ValuesOf<O> & SharedValues
  signal: AbortSignal
}

export type Command<O extends Options = Options> = Syntax<O> & { run(context: Context<O>): Promise<void> }

/** A command. Only the command itself knows the names of its options. */
export const command = <const O extends Options>(given: Command<O>): Command => given as unknown as Command

/** Enough polls for a job of an hour, because the service waits in each poll. */
const polling = { minSeconds: 1, waitSeconds: 30, maxPolls: 100_000 }

export const clientOf = (connection: Connection): VideoIntelligence =>
  new VideoIntelligence({ ...connection, polling, userAgent: `${program}/${version}` })

/** @throws VideoIntelligenceError unauthorized, without a request, if there is no key */
export async function connected({ io, values }: Place): Promise<Connection> {
  const connection = await connectionOf(values['base-url'], io.env)
  if (connection.apiKey !== '') return connection
  throw new VideoIntelligenceError('unauthorized', `There is no API key for ${connection.baseUrl}.`, { status: 0 })
}

export const connect = async (context: Place): Promise<VideoIntelligence> => clientOf(await connected(context))

/** @throws UsageError if the command line has words that the command does not take */
export function noWords(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`unexpected: ${words.join(' ')}`)
}
