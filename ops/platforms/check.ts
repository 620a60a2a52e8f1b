import { randomUUID } from 'node:crypto'
import { anyLanguage } from '#packages/content/captions/language.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { nameOf } from '#packages/platforms/lists/create-lists.ts'
import type { LiveCheck } from '#packages/platforms/live-check.ts'
import { beginning } from '#packages/platforms/paging/take-items.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import {
  platformNamed,
  platformNames,
  profilePlatforms,
  type RegisteredPlatform,
  type SocialPlatform,
} from '#packages/platforms/registry.ts'
import { SearchNotConfigured } from '#packages/platforms/search/search.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { channelTypes, type YouTubeList } from '#packages/platforms/youtube/lists/list-name.ts'
import type { VideoInfo } from '#packages/platforms/ytdlp/info.ts'
import type { Attempt, Cell, Operation, Outcome } from './cells.ts'
import type { DriftLog } from './drift-log.ts'

/** The example videos and the creator of each platform. */
export type Examples = Partial<Record<SocialPlatform, Pick<LiveCheck, 'urls' | 'creator' | 'lists'>>>

export type CheckOptions = {
  platforms: Platforms
  /** The log that the readers of `platforms` write to. */
  drift: DriftLog
  examples: Examples
  /** The search query for these platforms; undefined: no search. */
  query: string | undefined
}

/** The longest that one operation may take, milliseconds. */
const PATIENCE_MS = 120_000

/** The outcome of an operation that succeeded. */
type Seen = { fields?: string[]; note?: string }

/** Runs every operation of every platform in the examples, one after another. */
export async function checkPlatforms(options: CheckOptions): Promise<Cell[]> {
  const cells: Cell[] = []
  for (const platform of platformNames) {
    const wanted = options.examples[platform]
    if (!wanted) continue
    const { urls, creator, lists } = wanted
    for (const operation of ['metadata', 'captions', 'media'] as const) {
      const attempts: Attempt[] = []
      for (const url of urls) attempts.push(await tried(options, url, videoReads[operation](options.platforms, url)))
      if (attempts.length > 0)
        cells.push({ platform, operation, attempts: onlyWhereOffered(platform, operation, attempts) })
    }
    const { query } = options
    if (query !== undefined) {
      const search = searchOf(options.platforms, platform, query)
      cells.push({ platform, operation: 'search', attempts: [await tried(options, `"${query}"`, search)] })
    }
    const read = creator === undefined ? undefined : profileOf(options.platforms, platform, creator)
    if (read && creator)
      cells.push({ platform, operation: 'profile', attempts: [await tried(options, `@${creator}`, read)] })
    if (lists) cells.push({ platform, operation: 'lists', attempts: await listsTried(options, lists) })
  }
  return cells
}

/** Reads a channel's types and a playlist, each with its second page if there is one. */
async function listsTried(options: CheckOptions, { channel, playlist }: ListExamples): Promise<Attempt[]> {
  const attempts: Attempt[] = []
  for (const list of [
    ...channelTypes.map((type): YouTubeList => ({ kind: 'channel', path: `@${channel}`, type })),
    { kind: 'playlist', id: playlist } satisfies YouTubeList,
  ])
    attempts.push(await tried(options, nameOf(list), listOf(options.platforms, list)))
  return attempts
}

const listOf =
  (platforms: Platforms, list: YouTubeList): Read =>
  async (reading) => {
    const { body } = await platforms.lists({ list, from: beginning, limit: 100 }, reading)
    return { note: `${body.videos.length} videos` }
  }

type ListExamples = NonNullable<LiveCheck['lists']>

type Read = (reading: Reading) => Promise<Seen>

async function tried({ drift }: CheckOptions, target: string, read: Read): Promise<Attempt> {
  drift.take()
  try {
    const { fields = [], note } = await read({
      owner: randomUUID(),
      refusals: 0,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const changed = [...drift.take(), ...fields]
    if (changed.length > 0) return { target, kind: 'changed', fields: changed }
    return { target, kind: 'works', ...(note !== undefined && { note }) }
  } catch (error) {
    return { target, ...endOf(error, drift.take()) }
  }
}

/** Why an operation has failed: missing fields, rather than the error that they caused. */
function endOf(error: unknown, fields: string[]): Outcome {
  if (fields.length > 0) return { kind: 'changed', fields }
  if (error instanceof SearchNotConfigured) return { kind: 'left out', why: 'not configured' }
  if (!(error instanceof Error)) throw error
  const code = error instanceof StepError ? error.code : error.name === 'TimeoutError' ? 'timeout' : undefined
  if (code === undefined) throw error
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return { kind: 'refused', code, message: `${error.message}${cause}` }
}

const videoReads: Record<'metadata' | 'captions' | 'media', (platforms: Platforms, url: string) => Read> = {
  metadata: (platforms, url) => async (reading) => {
    const platform = platformOf(url)
    return { fields: missingIn(await platforms.info({ platform, url }, reading), platformNamed(platform)) }
  },
  captions: (platforms, url) => async (reading) => {
    const video = await platforms.fetch(url, reading)
    const wish = { ...anyLanguage, words: false, video }
    const captions = await platforms.captions(url, { ...reading, ...wish })
    if (!captions) return { fields: ['captions'] }
    const { segments, language, way } = captions
    return { note: `${segments.length} segments, ${language ?? 'language unknown'}${way ? `, by ${way}` : ''}` }
  },
  media: (platforms, url) => async (reading) => {
    await using file = await platforms.openMedia(url, { ...reading, want: 'audio', lang: null })
    return file.bytes > 0 ? { note: `${Math.ceil(file.bytes / 1000)} kB` } : { fields: ['media'] }
  },
}

const platformOf = (url: string): SocialPlatform => {
  const { platform } = parseVideoUrl(url)
  if (platform === null || platform === 'direct') throw new Error(`${url} is the URL of no video of a platform`)
  return platform
}

/** If a platform offers guests no captions, missing captions do not count as a change. */
function onlyWhereOffered(platform: SocialPlatform, operation: Operation, attempts: Attempt[]): Attempt[] {
  if (operation !== 'captions' || !platformNamed(platform).check.withoutCaptions) return attempts
  return attempts.map((attempt) =>
    attempt.kind === 'changed' ? { target: attempt.target, kind: 'left out', why: 'none offered' } : attempt,
  )
}

const searchOf =
  (platforms: Platforms, platform: SocialPlatform, q: string): Read =>
  async (reading) => {
    const { results } = await platforms.search({ q, limit: 5, platform }, reading)
    if (results.length === 0) throw new StepError('video_unavailable', { message: 'Nothing was found.' })
    return { note: `${results.length} results` }
  }

function profileOf(platforms: Platforms, platform: SocialPlatform, username: string): Read | undefined {
  const served = profilePlatforms.find(({ name }) => name === platform)?.name
  if (served === undefined) return undefined
  return async (reading) => {
    const { profile } = await platforms.profiles[served]({ username, limit: 24, from: beginning }, reading)
    return { note: `${profile.videos.length} videos` }
  }
}

/** Required fields that are missing from the answer. */
const missingIn = (info: VideoInfo, { check }: RegisteredPlatform): string[] =>
  Object.entries(check.fields).flatMap(([field, key]) => (info[key] === null ? [field] : []))
