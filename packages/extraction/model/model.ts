import type OpenAI from 'openai'
import type { Turn } from '#packages/openai/endpoint.ts'
import type { Shape } from './shapes.ts'

export type Messages = OpenAI.Chat.ChatCompletionMessageParam[]

/** One request, as the model wants it. */
export type Question = Turn & {
  /** What to send in a shape: a model that sees no pictures is told so. */
  messages(shape: Shape): Messages
  schema: Record<string, unknown> | null
  hasFrames: boolean
}

export type Reply = {
  /** `refused`: the model would not. `cut off`: it met its limit of length. Neither is repaired by asking again. */
  outcome: 'answered' | 'refused' | 'cut off'
  content: string
  /** As the endpoint calls it. */
  model: string
  /** As the endpoint counts them; undefined where it does not. */
  tokens: { input: number; output: number } | undefined
  shape: Shape
}

/** A language model. */
export interface Model {
  /** False while it is known to see no pictures: reading them from the video is then spared. */
  readonly seesFrames: boolean
  /** @throws StepError when there is no reply; the signal's reason when aborted */
  ask(question: Question): Promise<Reply>
}
