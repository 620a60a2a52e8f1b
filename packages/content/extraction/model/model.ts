import type OpenAI from 'openai'
import type { Turn } from '#packages/content/openai/endpoint.ts'
import type { Shape } from './shapes.ts'

export type Messages = OpenAI.Chat.ChatCompletionMessageParam[]

/** One request to the model. */
export type Question = Turn & {
  /** The messages for this shape. If it has no pictures, they say so. */
  messages(shape: Shape): Messages
  /** In its standard form. */
  schema: Record<string, unknown> | null
  hasFrames: boolean
}

export type Reply = {
  /** `refused`: the model declined. `cut off`: it reached its limit of length. Asking again helps in neither case. */
  outcome: 'answered' | 'refused' | 'cut off'
  content: string
  /** The model's name as the endpoint gives it. */
  model: string
  /** The tokens as the endpoint counts them. Undefined if it does not. */
  tokens: { input: number; output: number } | undefined
  shape: Shape
}

/** A language model. */
export interface Model {
  /** False while the model is known to refuse pictures. Then none are read from the video. */
  readonly seesFrames: boolean
  /** @throws StepError if there is no reply; the signal's reason when aborted */
  ask(question: Question): Promise<Reply>
}
