import type { FoundVideo, NewWatchRequest, Watch, WatchSource } from '../../contracts/generated/http.ts'
import type { VideoIntelligence } from '../client/client.ts'
import { sleep } from '../client/sleep.ts'
import { choice, given, oneWord, UsageError, wholeNumber } from './command.ts'
import { type Context, command, connect, noWords } from './context.ts'
import { jobOptions, wantedOf } from './job-body.ts'
import { platforms } from './lookups.ts'
import { isForPerson, print, writeResult } from './terminal.ts'

const every = ['15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d'] as const
const lists = ['videos', 'shorts', 'lives'] as const
const profiles = ['tiktok', 'instagram'] as const

const options = {
  every: { value: 'TIME', about: `how often it looks: ${every.join(', ')} (default 1d)` },
  list: { value: 'LIST', about: `of a channel: ${lists.join(', ')}` },
  search: { about: 'SOURCE is what to search for' },
  platform: { value: 'PLATFORM', about: 'of a search; else all of them' },
  backfill: { value: 'NUMBER', about: 'how many of the videos that are there already count as new' },
  'max-credits': { value: 'NUMBER', about: 'credits a month for its jobs; makes a transcript of each new video' },
  webhook: { value: 'URL', about: 'receives what is found' },
  after: { value: 'NUMBER', about: 'of show and follow: only videos with a higher number' },
  ...jobOptions,
} as const

type Asked = Context<typeof options>

/** What to watch: a channel, playlist or profile by its URL (a channel also by its @handle), or a search. */
export function sourceOf(word: string, values: Asked['values']): WatchSource {
  const list = choice('list', values.list, lists)
  if (values.search)
    return { type: 'search', q: word, ...given({ platform: choice('platform', values.platform, platforms) }) }
  if (word.startsWith('@')) return { type: 'channel', handle: word, ...given({ list }) }
  if (!URL.canParse(word)) throw new UsageError(`${word} is no URL and no @handle; --search watches a search`)
  const { hostname, searchParams } = new URL(word)
  const platform = profiles.find((name) => `.${hostname}`.endsWith(`.${name}.com`))
  if (platform !== undefined) return { type: 'profile', platform, url: word }
  return searchParams.has('list') ? { type: 'playlist', url: word } : { type: 'channel', url: word, ...given({ list }) }
}

/** @throws UsageError */
async function bodyOf(word: string, values: Asked['values']): Promise<NewWatchRequest> {
  const maxCreditsPerMonth = wholeNumber('max-credits', values['max-credits'])
  const then = await wantedOf(values)
  const asksForJobs = then.operation === 'extraction' || Object.keys(then.options).length > 0
  if (asksForJobs && maxCreditsPerMonth === undefined)
    throw new UsageError('--max-credits is missing: how many credits a month its jobs may take')
  return {
    source: sourceOf(word, values),
    every: choice('every', values.every, every) ?? '1d',
    ...given({ backfill: wholeNumber('backfill', values.backfill), webhookUrl: values.webhook, maxCreditsPerMonth }),
    ...(maxCreditsPerMonth !== undefined && { then }),
  }
}

const nameOf = ({ url, handle, id, username, q }: WatchSource): string => url ?? handle ?? id ?? username ?? `“${q}”`

export const watchLine = ({ watchId, source, every, status, reason, found }: Watch): string =>
  `${watchId}  ${status}${reason === null ? '' : ` (${reason})`}, every ${every}, ${found} found: ${nameOf(source)}`

export const foundLine = ({ number, title, url, jobId, code }: FoundVideo): string =>
  `${number}  ${url}  ${title ?? 'Untitled'}${jobId === null ? '' : `  job ${jobId}`}${code === null ? '' : `  ${code}`}`

async function foundBy(client: VideoIntelligence, watchId: string, { values, signal }: Asked): Promise<FoundVideo[]> {
  const found: FoundVideo[] = []
  for await (const one of client.watches.allFound(watchId, wholeNumber('after', values.after) ?? 0, { signal }))
    found.push(one)
  return found
}

/** The pause between two requests for what a watch has found, milliseconds. */
const LOOK_EVERY_MS = 15_000

/** Prints each video as it is found, until a signal. */
async function follow(context: Asked, client: VideoIntelligence, watchId: string): Promise<never> {
  const { io, signal, values } = context
  for (let after = wholeNumber('after', values.after) ?? 0; ; await sleep(LOOK_EVERY_MS, signal))
    for await (const one of client.watches.allFound(watchId, after, { signal })) {
      print(io.stdout, isForPerson(context) ? foundLine(one) : JSON.stringify(one))
      after = one.number
    }
}

type Action = (context: Asked, client: VideoIntelligence, word: string) => Promise<void>

const changing =
  (status: 'on' | 'paused'): Action =>
  async (context, client, watchId) => {
    const changed = await client.watches.change(watchId, { status }, { signal: context.signal })
    await writeResult(context, changed, () => watchLine(changed))
  }

/** The actions on a watch, including its creation. */
const actions: Readonly<Record<string, Action>> = {
  async add(context, client, word) {
    const { signal } = context
    const made = await client.watches.create(await bodyOf(word, context.values), { signal })
    await writeResult(context, made, () => watchLine(made))
  },
  async show(context, client, watchId) {
    const watch = await client.watches.get(watchId, { signal: context.signal })
    const found = await foundBy(client, watchId, context)
    await writeResult(context, { ...watch, videos: found }, () =>
      [watchLine(watch), ...found.map((one) => `  ${foundLine(one)}`)].join('\n'),
    )
  },
  follow,
  pause: changing('paused'),
  resume: changing('on'),
  async delete(context, client, watchId) {
    const deleted = await client.watches.delete(watchId, { signal: context.signal })
    await writeResult(context, deleted, () => `Watch ${watchId} was deleted.`)
  },
}

const actionNames = ['list', ...Object.keys(actions)].join(', ')

export const watch = command({
  words: 'list | add SOURCE | show|follow|pause|resume|delete WATCH',
  about: 'Watches channels, playlists, profiles and searches for new videos.',
  more: `SOURCE is a URL, a channel's @handle, or words with --search. With --max-credits, each new video becomes a
transcript, or an extraction with --prompt or --schema. \`follow\` prints what is found until Ctrl-C, which does not end
the watch.`,
  options,
  async run(context) {
    const [name = 'list', ...words] = context.words
    const action = actions[name]
    if (action === undefined && name !== 'list')
      throw new UsageError(`there is no watch ${name}: there are ${actionNames}`)
    if (action !== undefined) {
      const word = oneWord(words, name === 'add' ? 'what to watch' : 'the id of a watch')
      return action(context, await connect(context), word)
    }
    noWords(words)
    const all = await (await connect(context)).watches.list({ signal: context.signal })
    await writeResult(context, all, () => all.map(watchLine).join('\n') || 'There are no watches.')
  },
})
