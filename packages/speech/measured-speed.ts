import type { SpeechTraits } from './traits.ts'

export type Speed = {
  /** Seconds of work per second of audio. */
  readonly secondsPerAudioSecond: number
  /** Records the time that one file took. */
  record(audioSeconds: number, elapsedSeconds: number): void
}

/** Shorter files are not counted: they show the overhead more than the speed. */
const MIN_AUDIO_SECONDS = 60
/** Weight of the newest file, 0 to 1. */
const WEIGHT = 0.2

/**
 * The speed of an engine, exponentially smoothed. It begins as in the traits, and the overhead is not counted as speed. It is rather optimistic: to refuse a file in error is worse
 * than to let one miss its deadline, and only files that were not refused can correct the speed.
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
