import type OpenAI from 'openai'
import { type EndpointOptions, OpenAiEndpoint } from '#packages/content/openai/endpoint.ts'
import { RequestRefused } from '#packages/content/openai/failure.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { isStrict } from '../schema/strict-subset.ts'
import type { Model, Question, Reply } from './model.ts'
import { type Shape, Shapes } from './shapes.ts'

const endpointName = { kind: 'model', purpose: 'nothing can be extracted', variables: 'LLM' }

/** The name that a schema must have in a request. */
const SCHEMA_NAME = 'result'
const SLOW_AFTER_MS = 60_000
const MAX_MODEL_NAME_LENGTH = 200
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/**
 * Any OpenAI-compatible `POST {baseUrl}/chat/completions`. If the endpoint refuses an answer format or pictures, the
 * request is repeated without them. Once that has worked, they are not tried again for an hour.
 */
export function chatModel(options: EndpointOptions): Model {
  const endpoint = new OpenAiEndpoint(options, endpointName, MAX_ANSWER_BYTES)
  const shapes = new Shapes(options.clock)

  function replyTo(question: Question, shape: Shape): Promise<Reply> {
    const { model } = options
    const response_format = responseFormatOf(shape, question.schema)
    const body = { model, messages: question.messages(shape), ...(response_format && { response_format }) }
    const turn = { ...question, slowAfterMs: SLOW_AFTER_MS }
    return endpoint.ask(async (client, limits) => {
      return { ...readReply(await client.chat.completions.create(body, limits), model), shape }
    }, turn)
  }

  return {
    get seesFrames() {
      return shapes.seesFrames
    },
    async ask(question) {
      const wish = { hasSchema: question.schema !== null, hasFrames: question.hasFrames }
      const refusals: { shape: Shape; refused: RequestRefused }[] = []
      for (let shape: Shape | undefined = shapes.first(wish); ; ) {
        try {
          const reply = await replyTo(question, shape)
          shapes.learn(shape, refusals)
          return reply
        } catch (error) {
          if (!(error instanceof RequestRefused)) throw error
          if (isTooLong(error)) throw new StepError('media_too_long', { message: tooLong })
          refusals.push({ shape, refused: error })
          shape = shapes.next(shape, wish, error)
          if (shape === undefined) throw error
        }
      }
    },
  }
}

const tooLong = 'The transcript is longer than the model can read at once.'

const isTooLong = ({ said }: RequestRefused): boolean =>
  /context.?(length|window|size)|maximum context|too many tokens|prompt is too long/i.test(said)

function responseFormatOf(
  { format }: Shape,
  schema: Question['schema'],
): OpenAI.Chat.ChatCompletionCreateParams['response_format'] {
  if (format === 'prompt') return undefined
  if (format === 'json_object' || schema === null) return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema, strict: isStrict(schema) } }
}

/** An endpoint's answer: unlike in a real ChatCompletion, every field may be missing. */
type Loose = {
  model?: unknown
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null
  choices?: { finish_reason?: unknown; message?: { content?: unknown; refusal?: unknown } | null }[] | null
}

/** @throws TypeError for an answer without a choice */
function readReply(answer: unknown, asked: string): Omit<Reply, 'shape'> {
  const { choices, usage, model } = (answer ?? {}) as Loose
  const choice = choices?.[0]
  if (!choice) throw new TypeError('the answer has no choice')
  const input = countOf(usage?.prompt_tokens)
  const output = countOf(usage?.completion_tokens)
  return {
    outcome: outcomeOf(choice.finish_reason, choice.message?.refusal),
    content: textOf(choice.message?.content),
    model: typeof model === 'string' && model !== '' ? model.slice(0, MAX_MODEL_NAME_LENGTH) : asked,
    tokens: input === undefined || output === undefined ? undefined : { input, output },
  }
}

function outcomeOf(finishReason: unknown, refusal: unknown): Reply['outcome'] {
  if (finishReason === 'length') return 'cut off'
  return (typeof refusal === 'string' && refusal !== '') || finishReason === 'content_filter' ? 'refused' : 'answered'
}

const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined

/** The text of an answer, which some endpoints send in parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('')
}
