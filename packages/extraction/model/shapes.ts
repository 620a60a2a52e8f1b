import type { RequestRefused } from '#packages/openai/failure.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** How a model is told in which form to answer. */
export type AnswerFormat = 'json_schema' | 'json_object' | 'prompt'

/** What a request uses of what an endpoint may not know. */
export type Shape = { format: AnswerFormat; frames: boolean }

/** What a request would use, if the endpoint knew everything. */
export type Wish = { hasSchema: boolean; hasFrames: boolean }

type Ability = 'json_schema' | 'json_object' | 'frames'

/** An endpoint may learn: what it refused is asked of it again after this. */
const REMEMBERED_MS = 60 * 60 * 1000

const formatsOf = ({ hasSchema }: Wish): AnswerFormat[] =>
  hasSchema ? ['json_schema', 'json_object', 'prompt'] : ['json_object', 'prompt']

/** What one model of one endpoint has refused, as far as another form then worked. */
export class Shapes {
  readonly #clock: Clock
  readonly #refusedAt = new Map<Ability, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether pictures have been refused lately. */
  get seesFrames(): boolean {
    return this.#takes('frames')
  }

  /** The best shape that is not known to be refused. */
  first(wish: Wish): Shape {
    const format = formatsOf(wish).find((one) => one === 'prompt' || this.#takes(one)) ?? 'prompt'
    return { format, frames: wish.hasFrames && this.seesFrames }
  }

  /** What to try after a refusal; undefined when nothing is left. Every step gives something up for good. */
  next({ format, frames }: Shape, wish: Wish, refused: RequestRefused): Shape | undefined {
    const withoutFrames = { ...this.first({ ...wish, hasFrames: false }) }
    if (frames && isAboutFrames(refused)) return { ...withoutFrames, format }
    const weaker = formatsOf(wish)[formatsOf(wish).indexOf(format) + 1]
    if (weaker !== undefined) return { format: weaker, frames }
    return frames ? withoutFrames : undefined
  }

  /** Remembers what was refused before this shape worked. A schema that an endpoint does not like says little of others. */
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
  /invalid.{0,20}schema|schema.{0,40}invalid|in context/i.test(said)
