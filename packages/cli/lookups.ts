import type { SearchResult } from '../../contracts/generated/http.ts'
import type { Metadata } from '../client/client.ts'
import { choice, columns, given, oneWord, UsageError, wholeNumber } from './command.ts'
import { clientOf, command, connect, connected, noWords } from './context.ts'
import { withProgress, writeResult } from './terminal.ts'

const fields = ['captions', 'chapters'] as const
export const platforms = ['youtube', 'tiktok', 'instagram', 'x', 'facebook'] as const

/** Seconds as `1:02:03` or `2:03`. */
export function clockTime(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const rest = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}

/** A value on one line. Lists and objects as JSON. */
function lineOf(name: string, value: unknown): string {
  if (name === 'duration' && typeof value === 'number') return clockTime(value)
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(/\s+/g, ' ')
}

/** The facts about a video, one per line. */
export const metadataText = (metadata: Metadata): string =>
  columns(
    Object.entries(metadata).flatMap(([name, value]) => (value === null ? [] : [[name, lineOf(name, value)] as const])),
  )

export const metadata = command({
  words: 'URL',
  about: 'Prints what is known of a video: title, author, duration, counts … (free).',
  options: { include: { value: 'FIELDS', about: `${fields.join(', ')}: also these, with commas between them` } },
  async run(context) {
    const { words, values, signal } = context
    const url = oneWord(words, 'the URL of a video')
    const include = values.include?.split(',').flatMap((field) => choice('include', field, fields) ?? [])
    const client = await connect(context)
    const asked = { signal, ...given({ include }) }
    const found = await withProgress(context, 'Looking at the video', () => client.metadata(url, asked))
    await writeResult(context, found, () => metadataText(found))
  },
})

/** Found videos, two lines each. */
export const searchText = (found: readonly SearchResult[]): string =>
  found
    .map(({ title, author, duration, platform, url }) => {
      const facts = [author, duration === null ? null : clockTime(duration), platform].filter((fact) => fact !== null)
      return `${(title ?? 'Untitled').replace(/\s+/g, ' ')} (${facts.join(', ')})\n  ${url}`
    })
    .join('\n')

export const search = command({
  words: 'WORDS',
  about: 'Searches for videos (free).',
  options: {
    platform: { value: 'PLATFORM', about: `${platforms.join(', ')}; else all of them` },
    limit: { value: 'NUMBER', about: 'the most results of each platform' },
  },
  async run(context) {
    const { words, values, signal } = context
    if (words.length === 0) throw new UsageError('what to search for is missing')
    const platform = choice('platform', values.platform, platforms)
    const limit = wholeNumber('limit', values.limit)
    const client = await connect(context)
    const question = { q: words.join(' '), ...given({ platform, limit }) }
    const found = await withProgress(context, 'Searching', () => client.search(question, { signal }))
    await writeResult(context, found, () => (found.length > 0 ? searchText(found) : 'Nothing was found.'))
  },
})

export const me = command({
  words: '',
  about: 'Prints whose key is in use, at which address, and the credits left.',
  options: {},
  async run(context) {
    noWords(context.words)
    const connection = await connected(context)
    const { signal } = context
    const who = await clientOf(connection).me({ signal })
    const all = { ...who, baseUrl: connection.baseUrl }
    await writeResult(context, all, () => `${who.name}: ${who.creditsRemaining} credits left, at ${connection.baseUrl}`)
  },
})
