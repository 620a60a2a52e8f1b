import { keptValue } from '#packages/content/media/kept-value.ts'
import type { MediaCache, MediaFile } from '#packages/content/media/media-cache.ts'
import type { Frame, FramesOptions } from '#packages/content/media/read-frames.ts'
import type { StepContext } from '#packages/jobs/processing/step.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import { readingOf } from '#packages/platforms/reading/reading-of.ts'
import type { Clock } from '#packages/ports/clock.ts'

export type CachedFramesOptions = {
  clock: Clock
  cache: MediaCache
  /** Opens the media file for a video's pictures, from this machine's cache or through the guard. */
  openMedia(url: string, wish: Reading & { want: 'video'; lang: null }): Promise<MediaFile>
  readFrames(path: string, options: Omit<FramesOptions, 'launcher'>): Promise<Frame[]>
  /** The most pictures of any video. */
  maxFrames: number
  /** Longest media accepted, seconds. */
  maxSeconds: number
}

/** The longer side of a picture, pixels. */
const MAX_SIDE = 512

const TIMEOUT_MS = 60_000

type KeptFrame = { seconds: number; jpeg: string }

/** The pictures of a video, cached: the organization's next extraction of it downloads nothing. */
export function cachedFrames(options: CachedFramesOptions): (context: StepContext, most: number) => Promise<Frame[]> {
  const { clock, cache, openMedia, maxFrames, maxSeconds } = options

  return async (context, most) => {
    const { job, deadlineAt } = context
    const read = async (signal: AbortSignal): Promise<KeptFrame[]> => {
      await using media = await openMedia(job.url, { ...readingOf(context), signal, want: 'video', lang: null })
      const timeoutMs = Math.max(1, Math.min(TIMEOUT_MS, (deadlineAt - clock.now()) / 2))
      const limits = { timeoutMs, maxFrames, maxSide: MAX_SIDE, maxSeconds }
      const frames = await options.readFrames(media.path, { signal, ...limits })
      return frames.map(({ seconds, jpeg }) => ({ seconds, jpeg: jpeg.toString('base64') }))
    }
    const what = `${maxFrames} frames of ${MAX_SIDE}`
    const kept = await keptValue(cache, { url: job.url, orgId: job.orgId, what }, context.signal, read)
    return spread(kept, most).map(({ seconds, jpeg }) => ({ seconds, jpeg: Buffer.from(jpeg, 'base64') }))
  }
}

/** At most `count` pictures, spread evenly from the first to the last. */
const spread = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most
    ? [...all]
    : all.filter(
        (_, index) => Math.floor((index * most) / all.length) !== Math.floor(((index - 1) * most) / all.length),
      )
