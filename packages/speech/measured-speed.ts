export type Speed = {
  /** Seconds of work per second of audio. */
  readonly secondsPerAudioSecond: number
  /** Notes what one file took. */
  record(audioSeconds: number, elapsedSeconds: number): void
}

export type SpeedOptions = {
  /** Believed until something was measured. */
  startSecondsPerAudioSecond: number
  /** What a file costs however short it is; not counted as speed. */
  overheadSeconds?: number
}

/** Shorter files say more about overhead than about speed and are not counted. */
const MIN_AUDIO_SECONDS = 60
/** Of the newest file, 0 to 1. */
const WEIGHT = 0.2

/**
 * The speed of an engine, exponentially smoothed. It leans towards optimism: a file refused in error is worse than
 * one that meets its deadline, and only files that were not refused can correct it.
 */
export function measuredSpeed({ startSecondsPerAudioSecond, overheadSeconds = 3 }: SpeedOptions): Speed {
  let ratio = startSecondsPerAudioSecond
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
