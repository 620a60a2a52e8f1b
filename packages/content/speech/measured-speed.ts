import type { SpeechTraits } from './traits.ts'

export type Speed = {
  /** Seconds of work per second of audio. */
  readonly secondsPerAudioSecond: number
  /** Records how long one file took. */
  record(audioSeconds: number, elapsedSeconds: number): void
}

/** Shorter files do not count: they show the overhead more than the speed. */
const MIN_AUDIO_SECONDS = 60
/** Weight of the newest file, 0 to 1. */
const WEIGHT = 0.2

/**
 * The speed of an engine, exponentially smoothed. It begins with the value of the traits, and does not include the
 * overhead. It is optimistic on purpose. Refusing a file in error is worse than letting one miss its deadline, and
 * only files that were not refused can correct the speed.
 */
export function measuredSpeed({ secondsPerAudioSecond, overheadSeconds }: Omit<SpeechTraits, 'tellsSpeakers'>): Speed {
  let ratio = secondsPerAudioSecond
  return {
    get secondsPerAudioSecond() {
      return ratio
    },
    record(audioSeconds, elapsedSeconds) {
      if (audioSeconds < MIN_AUDIO_SECONDS) return
      const measured = Math.max(0, elapsedSeconds - overheadSeconds) / audioSeconds
      ratio += WEIGHT * (measured - ratio)
    },
  }
}
