import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from './command.ts'
import { type Context, clientOf, command, noWords } from './context.ts'
import { addressOf, baseUrlOf, readLogin, writeLogin } from './settings.ts'
import { print, withProgress } from './terminal.ts'

type Question = (text: string, how: { secret: boolean }) => Promise<string>

/** Asks questions on a terminal, on standard error. @throws the signal's reason */
async function answered<T>({ io, signal }: Context, ask: (question: Question) => Promise<T>): Promise<T> {
  let isSecret = false
  const output = new Writable({
    write(chunk, _, done) {
      if (!isSecret) io.stderr.write(String(chunk))
      done()
    },
  })
  const lines = createInterface({ input: io.stdin, output, terminal: true })
  const interrupted = new AbortController()
  // The terminal is in raw mode: Ctrl-C is a key here, and Ctrl-D ends the lines.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  lines.on('close', () => interrupted.abort(new UsageError('nothing was entered')))
  try {
    return await ask(async (text, { secret }) => {
      if (secret) io.stderr.write(text)
      isSecret = secret
      const over = { signal: AbortSignal.any([signal, interrupted.signal]) }
      const answer = await lines.question(secret ? '' : text, over).finally(() => secret && io.stderr.write('\n'))
      isSecret = false
      return answer.trim()
    })
  } catch (error) {
    signal.throwIfAborted()
    throw interrupted.signal.aborted ? interrupted.signal.reason : error
  } finally {
    lines.close()
  }
}

/** The first line of standard input. */
async function firstLine({ io, signal }: Context): Promise<string> {
  for await (const line of createInterface({ input: io.stdin, signal })) return line.trim()
  return ''
}

export const login = command({
  words: '',
  about: 'Stores the address of the service and an API key for later commands.',
  more: `Asks for both on a terminal, and does not show the key. In a pipe, standard input is the key:
  video-intelligence-cli login --base-url https://video.example.com < key.txt
The key is tried before it is stored, in a file that only you can read (mode 0600).`,
  options: {},
  async run(context) {
    noWords(context.words)
    const { io, values, signal } = context
    const known = addressOf(values['base-url'], io.env, await readLogin(io.env))
    const isTerminal = io.stdin.isTTY === true
    const { baseUrl, apiKey } = isTerminal
      ? await answered(context, async (ask) => {
          const address = values['base-url'] ?? (await ask(`Address of the service [${known}]: `, { secret: false }))
          return { baseUrl: baseUrlOf(address || known), apiKey: await ask('API key: ', { secret: true }) }
        })
      : { baseUrl: known, apiKey: await firstLine(context) }
    if (apiKey === '') throw new UsageError('the key is missing')
    if (!/^[!-~]+$/.test(apiKey)) throw new UsageError('this is no API key')
    const connection = { baseUrl, apiKey }
    const who = await withProgress(context, 'Trying the key', () => clientOf(connection).me({ signal }))
    const file = await writeLogin(io.env, connection)
    print(io.stderr, `Logged in to ${baseUrl} as ${who.name}, ${who.creditsRemaining} credits left. Stored in ${file}.`)
    if (io.env.VIDEO_INTELLIGENCE_API_KEY)
      print(io.stderr, 'VIDEO_INTELLIGENCE_API_KEY is set, and is used in place of this key.')
  },
})
