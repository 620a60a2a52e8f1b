import type { EventData } from '#contracts/generated/events.ts'
import type { Step } from '#packages/domain/job/events.ts'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import type { Random } from '#test/doubles/random.ts'
import { untold } from '#test/doubles/untold.ts'
import type { Settings } from './settings.ts'
import { makeTalk, type Talk } from './talk.ts'

/** How one attempt ends, and after how many milliseconds. */
export type Ending = {
  ms: number
  type: 'result' | 'no captions' | 'transient' | 'broken' | 'permanent' | 'hangs' | 'kills'
}

/** The endings of a step's attempts at one video: these first, and then always the last. */
export type Plan = { first: Ending[]; last: Ending }

/** A video of the simulated world. It determines how every step of every job with its URL ends. */
export type Video = { url: string; plans: Record<Step, Plan>; talk: Talk }

export const permanentCode: Record<Step, FailureCode> = {
  fetch: 'video_private',
  caption: 'age_restricted',
  'speech-to-text': 'no_speech',
  extract: 'extraction_invalid',
}
export const TRANSIENT_CODE: FailureCode = 'platform_blocked'

const duration: Record<Step, [number, number]> = {
  fetch: [20, 800],
  caption: [20, 600],
  'speech-to-text': [300, 5000],
  extract: [0, 0],
}

export function makeVideo(given: Random, number: number, { deadlyInputs, flood, leaseSeconds }: Settings): Video {
  const planOf = (step: Step, random = given): Plan => {
    const ms = Math.ceil(random.between(...duration[step]) / (flood > 0 ? 2 : 1))
    const withoutCaptions = step === 'caption' && random.chance(0.4)
    const last: Ending = { ms, type: withoutCaptions ? 'no captions' : 'result' }
    const draw = flood > 0 ? 1 : random.next()
    const several = (type: Ending['type']): Ending[] =>
      Array.from({ length: random.between(1, 3) }, () => ({ ms, type }))
    if (draw < 0.1) return { first: several('transient'), last }
    if (draw < 0.13) return { first: several('broken'), last }
    if (draw < 0.17) return { first: [], last: { ms, type: 'permanent' } }
    if (draw < 0.2) return { first: [{ ms: random.between(1, 2 * leaseSeconds) * 1000, type: 'hangs' }], last }
    if (deadlyInputs && draw < 0.26) return { first: [{ ms, type: 'kills' }], last }
    if (deadlyInputs && draw < 0.3) return { first: [], last: { ms, type: 'kills' } }
    return { first: [], last }
  }
  return {
    url: `https://cdn.example.com/${number}.mp4`,
    plans: {
      fetch: planOf('fetch'),
      caption: planOf('caption'),
      'speech-to-text': planOf('speech-to-text'),
      // Forks of the seed: the extractions of a video do not change the rest of it.
      extract: { ...planOf('extract', given.fork(`extract of ${number}`)), last: { ms: 0, type: 'result' } },
    },
    talk: makeTalk(given.fork(`talk of ${number}`), flood > 0 ? 0 : 3),
  }
}

/** The data that each step's result carries. */
export const videoFetched = (url: string): EventData['VideoFetched'] => ({
  canonicalUrl: url,
  platform: 'direct',
  metadata: untold,
  durationSeconds: 10,
  liveState: 'none',
  captionTracks: [],
  formats: [],
})

const text = { language: 'en', engine: 'simulated', model: null, audioSeconds: 10 }

export const captionsRead = (url: string): EventData['CaptionsRead'] => ({
  ...text,
  source: 'human',
  segments: [{ start: 0, end: 1, text: `captions of ${url}` }],
})

export const speechTranscribed = (url: string): EventData['SpeechTranscribed'] => ({
  ...text,
  source: 'speech',
  segments: [{ start: 0, end: 1, text: `speech of ${url}` }],
})
