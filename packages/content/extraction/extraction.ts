import type { EventData } from '#contracts/generated/events.ts'
import type { Used } from '#packages/domain/job/used.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { sha256 } from '#packages/ports/ids.ts'
import { asObject, parseAnswer } from './answer/parse-answer.ts'
import { type Asker, ValidationTooCostlyError } from './answer/validation.ts'
import type { Model, Reply } from './model/model.ts'
import {
  type Boundary,
  buildPrompt,
  describeVideo,
  instructions,
  type Material,
  type Repair,
  type Request,
} from './prompt/build-prompt.ts'
import { standardForm } from './schema/standard-form.ts'

/** UTF-8 bytes per token, rather too few: English has about four, other alphabets three or less. */
const BYTES_PER_TOKEN = 2.5

/** How many tokens a picture of at most 512 pixels a side costs at most, for most models. */
const TOKENS_PER_FRAME = 500

/** Estimates the tokens of a text, rather too many than too few. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

export type ExtractionOptions = {
  model: Model
  /** The problems of an answer, in words; an empty list if it fits. @throws ValidationTooCostlyError */
  problems(schema: Record<string, unknown>, answer: unknown, asker: Asker): Promise<string[]>
  newBoundary(): Boundary
  /** The most tokens sent to the model at once. */
  contextTokens: number
  /** The most pictures that are sent; 0 for a model without vision. */
  maxFrames: number
}

type Limits = Asker & { deadlineAt: number; used: Used }

export type Extraction = {
  /**
   * How many pictures fit into the context beside this text.
   * @throws StepError `media_too_long` for a text that is longer than the model's context: it is never cut
   */
  roomForFrames(request: Request, material: Omit<Material, 'frames'>): number
  /**
   * Asks the model, and lets it repair answers that do not fit. Adds the tokens of every answer to `used`, even on
   * failure.
   * @throws StepError `extraction_invalid`, `result_too_large`; what the model throws; the signal's reason
   */
  extract(request: Request, material: Material, limits: Limits): Promise<EventData['ExtractionProduced']>
}

/** How many rounds show the model the problems of its answer. */
const MAX_REPAIRS = 2
/** The largest share of the context for pictures. The rest is for the text. */
const FRAMES_SHARE = 0.25
/** The most problems named to the customer. */
const MAX_TOLD = 3

/** Extracts data from a video: with a schema, an object that fits it; without one, any object. */
export function createExtraction(options: ExtractionOptions): Extraction {
  const { model, newBoundary, contextTokens } = options

  /** The result in an answer, or its problems. */
  async function resultOf({ content }: Reply, { schema }: Request, asker: Asker): Promise<Result> {
    const parsed = parseAnswer(content)
    if (schema === null) {
      const isEmpty = content.trim() === ''
      if ('problem' in parsed && isEmpty) return { problems: [parsed.problem] }
      return { result: asObject('value' in parsed ? parsed.value : content) }
    }
    if ('problem' in parsed) return { problems: [parsed.problem] }
    const problems = await options.problems(schema, parsed.value, asker)
    return problems.length > 0 ? { problems } : { result: parsed.value as Record<string, unknown> }
  }

  return {
    roomForFrames(request, material) {
      const text = textOf(request, material)
      const tokens = estimateTokens(text)
      if (tokens > contextTokens) throw tooLong()
      if (!model.seesFrames) return 0
      const room = Math.min(contextTokens * FRAMES_SHARE, contextTokens - tokens)
      return Math.min(options.maxFrames, Math.floor(room / TOKENS_PER_FRAME))
    },
    async extract(request, material, { organization, signal, deadlineAt, used }) {
      const boundary = newBoundary()
      const shown: Request = { ...request, schema: request.schema && standardForm(request.schema) }
      const { tokens } = used
      let repair: Repair | undefined
      for (let round = 1; ; round++) {
        const lastRepair = repair
        const reply = await model.ask({
          messages: ({ frames }) => buildPrompt(shown, material, { boundary, repair: lastRepair, seesFrames: frames }),
          schema: shown.schema,
          hasFrames: material.frames.length > 0,
          waitInPlace: round > 1,
          signal,
          deadlineAt,
        })
        const counted = reply.tokens ?? estimated(request, material, reply)
        tokens.input += counted.input
        tokens.output += counted.output
        assertAnswered(reply)
        const outcome = await resultOf(reply, request, { organization, signal }).catch(refuseCostly)
        if ('result' in outcome) {
          const framesUsed = reply.shape.frames ? material.frames.length : 0
          return {
            result: outcome.result,
            model: reply.model,
            ...hashesOf(request),
            framesUsed,
            tokens: { ...tokens },
            rounds: round,
          }
        }
        if (round > MAX_REPAIRS) throw invalid(outcome.problems)
        repair = { answer: reply.content, problems: outcome.problems }
      }
    },
  }
}

type Result = { result: Record<string, unknown> } | { problems: string[] }

const textOf = ({ prompt, schema }: Request, { video, transcript }: Omit<Material, 'frames'>): string =>
  [instructions, prompt, schema && JSON.stringify(schema), describeVideo(video, transcript)].join('\n')

const tooLong = (): StepError =>
  new StepError('media_too_long', { message: 'The transcript is longer than the model can read at once.' })

/** An estimate of the tokens, for an endpoint that does not count them. */
const estimated = (request: Request, material: Material, { content, shape }: Reply) => ({
  input: estimateTokens(textOf(request, material)) + (shape.frames ? material.frames.length * TOKENS_PER_FRAME : 0),
  output: estimateTokens(content),
})

/** Hashes of the instructions, prompt and schema that made a result. */
const hashesOf = ({ prompt, schema }: Request) => ({
  promptHash: sha256(JSON.stringify([instructions, prompt])),
  schemaHash: schema === null ? null : sha256(JSON.stringify(schema)),
})

function assertAnswered({ outcome }: Reply): void {
  if (outcome === 'refused')
    throw new StepError('extraction_invalid', { message: 'The model refused to answer this request.' })
  if (outcome === 'cut off')
    throw new StepError('extraction_invalid', {
      message: "The model's answer was cut off at its limit of length; ask for less at once.",
    })
}

function refuseCostly(error: unknown): never {
  if (!(error instanceof ValidationTooCostlyError)) throw error
  throw new StepError('extraction_invalid', {
    message: 'Validating the answer against the schema takes too much time or memory.',
    cause: error,
  })
}

const invalid = (problems: readonly string[]): StepError =>
  new StepError('extraction_invalid', { details: problems.slice(0, MAX_TOLD).join('; ') })
