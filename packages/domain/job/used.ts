import type { EventData } from '#contracts/generated/events.ts'

/** The paid services that an attempt has used: tokens of the model, seconds of transcribed sound. */
export type Used = NonNullable<EventData['StepFailed']['used']>

/** The use of an attempt that has just begun. Its step adds to it. */
export const nothingUsedYet = (): Used => ({ tokens: { input: 0, output: 0 }, audioSeconds: 0 })

export const sumOfUsed = (one: Used, other: Used): Used => ({
  tokens: { input: one.tokens.input + other.tokens.input, output: one.tokens.output + other.tokens.output },
  audioSeconds: one.audioSeconds + other.audioSeconds,
})

export const isUsed = ({ tokens, audioSeconds }: Used): boolean => tokens.input + tokens.output + audioSeconds > 0
