import type { EventData } from '#contracts/generated/events.ts'
import type { Step } from '#packages/domain/job/events.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'
import { untold } from '#test/doubles/untold.ts'

export const VIDEO_URL = 'https://cdn.example.com/film.mp4'

/** Made-up metadata of a film. */
export const video: EventData['VideoFetched'] = {
  canonicalUrl: VIDEO_URL,
  platform: 'direct',
  metadata: { ...untold, title: 'A film' },
  durationSeconds: 60,
  liveState: 'none',
  captionTracks: [],
  formats: [{ container: 'mp4', hasAudio: true, hasVideo: true, width: 1280, height: 720, bytes: 9_000_000 }],
}

/** A transcript of `segments` segments. */
export const transcript = (segments: number): EventData['SpeechTranscribed'] => ({
  language: 'en',
  source: 'speech',
  engine: 'none',
  model: null,
  audioSeconds: 60,
  segments: Array.from({ length: segments }, (_, index) => ({
    start: index * 4,
    end: index * 4 + 3.5,
    text: 'the quick brown fox jumps over the lazy dog and runs away',
  })),
})

export const NO_CAPTIONS: EventData['CaptionsUnavailable'] = { reason: 'captions_unavailable' }

/** A result as a model would give it. No model is called. */
const extraction: EventData['ExtractionProduced'] = {
  result: {},
  model: 'none',
  promptHash: '0'.repeat(64),
  schemaHash: null,
  framesUsed: 0,
  tokens: { input: 0, output: 0 },
  rounds: 1,
}

/**
 * The steps of a job in mode `auto` with a video without captions. All three return at once.
 * @param onStart is called for each job when its first step begins
 */
export const noopSteps = (onStart: (jobId: string) => void): Record<Step, StepWork> => ({
  fetch: async ({ jobId }) => {
    onStart(jobId)
    return { type: 'VideoFetched', data: video }
  },
  caption: async () => ({ type: 'CaptionsUnavailable', data: NO_CAPTIONS }),
  'speech-to-text': async () => ({ type: 'SpeechTranscribed', data: transcript(1) }),
  extract: async () => ({ type: 'ExtractionProduced', data: extraction }),
})
