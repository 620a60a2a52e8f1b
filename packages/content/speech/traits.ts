import { limitsOf } from './openai/models.ts'

/** The properties of a speech engine that are known before its first work. */
export type SpeechTraits = {
  /** Whether its segments name their speakers. */
  tellsSpeakers: boolean
  /** The fixed time that every file takes, seconds. */
  overheadSeconds: number
  /** Seconds of work per second of audio, until it is measured. */
  secondsPerAudioSecond: number
}

export const pocketsphinxTraits: SpeechTraits = {
  tellsSpeakers: false,
  overheadSeconds: 3,
  secondsPerAudioSecond: 0.15,
}

export const openAiTraits = (model: string): SpeechTraits => ({
  tellsSpeakers: limitsOf(model).format === 'diarized_json',
  overheadSeconds: 10,
  secondsPerAudioSecond: 0.02,
})
