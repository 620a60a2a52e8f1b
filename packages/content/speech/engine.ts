import type { EventData } from '#contracts/generated/events.ts'

/** A range of the audio, in seconds from its start. */
export type Stretch = { start: number; end: number }

/** A piece of the transcript; times in seconds from the start of the video. */
export type Segment = EventData['SpeechTranscribed']['segments'][number]

/** A word of the transcript. Times in seconds, confidence from 0 to 1 if the engine gives one. */
export type Word = NonNullable<EventData['SpeechTranscribed']['words']>[number]

export type SpeechInput = {
  /** 16 kHz mono, 16 bits a sample, RIFF. */
  wavPath: string
  /** Length of the audio. */
  seconds: number
  /** Where speech is likely (voice activity), in order, none empty, none longer than 30 s. */
  regions: readonly Stretch[]
  /** BCP 47 tag that the customer gave as a hint. Null if there is none. */
  lang: string | null
  /** Names and terms to expect, the most important first. Null if there are none. Never log it. */
  vocabulary: string | null
  /** Whether the times of single words are requested. An engine that knows them anyway may always return them. */
  words: boolean
  /** The organization that it works for. None may occupy all workers of a local engine while others wait. */
  organization: string
  /** A directory of this attempt. Its owner removes it afterwards. */
  directory: string
  /** Aborted when the result is no longer wanted. */
  signal: AbortSignal
  /** Milliseconds since 1970, UTC. */
  deadlineAt: number
  /** Called with the length of each piece of audio once it is transcribed, seconds, even if another piece fails. */
  onTranscribed(seconds: number): void
}

export type Transcript = {
  /** BCP 47 tag of the spoken language. Null if the engine does not report it. */
  language: string | null
  /** In order, not overlapping, inside the audio. Empty if the engine heard no words. */
  segments: Segment[]
  words?: Word[]
  /** How many characters of the vocabulary were used, from its beginning. Undefined if the engine takes none. */
  vocabularyHeeded?: number
  /**
   * The language of most of the sound, even if another was requested, and its probability from 0 to 1. Undefined if
   * the engine does not report it.
   */
  heard?: { language: string; probability: number }
}

/** Turns speech into text. */
export interface SpeechEngine {
  readonly name: string
  /** Null if the engine has only one. */
  readonly model: string | null
  /**
   * Seconds of work per second of audio, measured on recent files. Multiplied by the duration, it is compared with the
   * time left, so that a file that would take too long is refused at once.
   */
  readonly secondsPerAudioSecond: number
  /** @throws StepError if no transcript can be given; the signal's reason when aborted */
  transcribe(input: SpeechInput): Promise<Transcript>
}
