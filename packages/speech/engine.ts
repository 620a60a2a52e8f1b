import type { EventData } from '#contracts/generated/events.ts'

/** A stretch of the audio, in seconds from its start. */
export type Stretch = { start: number; end: number }

/** A piece of the transcript; times in seconds from the start of the video. */
export type Segment = EventData['SpeechTranscribed']['segments'][number]

/** A word of the transcript; times in seconds, confidence from 0 to 1 where the engine gives one. */
export type Word = NonNullable<EventData['SpeechTranscribed']['words']>[number]

export type SpeechInput = {
  /** 16 kHz mono, 16 bits a sample, RIFF. */
  wavPath: string
  /** Length of the audio. */
  seconds: number
  /** Where somebody may be speaking (voice activity), in order, none empty, none longer than 30 s. */
  regions: readonly Stretch[]
  /** BCP 47 tag the customer gave as a hint; null when there is none. */
  lang: string | null
  /** Names and terms to expect, the most important first; null when there are none. Never to be logged. */
  vocabulary: string | null
  /** Whether the times of single words are wanted. An engine that knows them anyway may give them in any case. */
  words: boolean
  /** On whose behalf: no organization may occupy all workers of a local engine while others wait. */
  organization: string
  /** A directory of this attempt, removed by its owner afterwards. */
  directory: string
  /** Aborted when the result is no longer wanted. */
  signal: AbortSignal
  /** Milliseconds since 1970, UTC. */
  deadlineAt: number
  /** Called with the length of each piece of audio once it is transcribed, seconds, even if another piece fails. */
  onTranscribed(seconds: number): void
}

export type Transcript = {
  /** BCP 47 tag of the spoken language; null when the engine does not report it. */
  language: string | null
  /** In order, not overlapping, inside the audio; empty when the engine heard no words. */
  segments: Segment[]
  words?: Word[]
  /** So many characters of the vocabulary were heeded, from its beginning; undefined where the engine takes none. */
  vocabularyHeeded?: number
  /**
   * The language that most of the sound is in, also where another was asked for, and its probability from 0 to 1;
   * undefined where the engine does not tell it.
   */
  heard?: { language: string; probability: number }
}

/** Turns speech into text. */
export interface SpeechEngine {
  readonly name: string
  /** Null when the engine has only one. */
  readonly model: string | null
  /**
   * Seconds of work per second of audio, measured on recent files. Duration × this is compared with the time left, so
   * that a file that would take too long is refused at once.
   */
  readonly secondsPerAudioSecond: number
  /** @throws StepError when no transcript can be given; the signal's reason when it is aborted */
  transcribe(input: SpeechInput): Promise<Transcript>
}
