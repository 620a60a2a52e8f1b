import type { RequestRefused } from '#packages/content/openai/failure.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** How a request asks for the form of the answer. */
export type AnswerFormat = 'json_schema' | 'json_object' | 'prompt'

/** The optional features that a request uses. */
export type Shape = { format: AnswerFormat; frames: boolean }

/** The optional features that would help a request. */
export type Wish = { hasSchema: boolean; hasFrames: boolean }

type Ability = 'json_schema' | 'json_object' | 'frames'

/** How long a refused feature is avoided, milliseconds. It is then tried again, because an endpoint may change. */
const REMEMBERED_MS = 60 * 60 * 1000

const formatsOf = ({ hasSchema }: Wish): AnswerFormat[] =>
  hasSchema ? ['json_schema', 'json_object', 'prompt'] : ['json_object', 'prompt']

/** The features that one model of one endpoint has refused, recorded only when a request without them worked. */
export class Shapes {
  readonly #clock: Clock
  readonly #refusedAt = new Map<Ability, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether pictures are not known to be refused. */
  get seesFrames(): boolean {
    return this.#takes('frames')
  }

  /** The best shape without features known to be refused. */
  first(wish: Wish): Shape {
    const format = formatsOf(wish).find((one) => one === 'prompt' || this.#takes(one)) ?? 'prompt'
    return { format, frames: wish.hasFrames && this.seesFrames }
  }

  /** The shape to try after a refusal. It uses one feature less. Undefined if none is left. */
  next({ format, frames }: Shape, wish: Wish, refused: RequestRefused): Shape | undefined {
    const withoutFrames = { ...this.first({ ...wish, hasFrames: false }) }
    if (frames && isAboutFrames(refused)) return { ...withoutFrames, format }
    const weaker = formatsOf(wish)[formatsOf(wish).indexOf(format) + 1]
    if (weaker !== undefined) return { format: weaker, frames }
    return frames ? withoutFrames : undefined
  }

  /** Records the features refused before this shape worked, except a format refused because of one schema. */
  learn(worked: Shape, refusals: readonly { shape: Shape; refused: RequestRefused }[]): void {
    for (const { shape, refused } of refusals) {
      if (shape.frames && !worked.frames) this.#refusedAt.set('frames', this.#clock.now())
      const { format } = shape
      const isFormat = shape.frames === worked.frames && format !== worked.format && format !== 'prompt'
      if (isFormat && !isAboutOneSchema(refused)) this.#refusedAt.set(format, this.#clock.now())
    }
  }

  #takes(ability: Ability): boolean {
    const refusedAt = this.#refusedAt.get(ability)
    return refusedAt === undefined || this.#clock.now() - refusedAt > REMEMBERED_MS
  }
}

const isAboutFrames = ({ status, said }: RequestRefused): boolean =>
  status === 413 || /image|vision|multi-?modal/i.test(said)

const isAboutOneSchema = ({ said }: RequestRefused): boolean =>
  /invalid.{0,20}schema|schema.{0,40}invalid|in context|recursi|circular/i.test(said)
