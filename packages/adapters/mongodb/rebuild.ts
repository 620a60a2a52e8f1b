import type { Collection } from 'mongodb'
import { type Views, type ViewsDefinition, type ViewsRebuild, ViewsReplacedError } from '#packages/ports/views.ts'
import type { Generations } from './generations.ts'

type Parts = {
  definition: ViewsDefinition
  live: number
  generation: number
  generations: Generations
  views: Views
}

/** A new generation of the views, made beside the live one. */
export class MongoRebuild implements ViewsRebuild {
  readonly views: Views
  readonly #parts: Parts
  readonly #checkpoints: Collection<{ _id: string; position: number; marked: number }>
  #isLive = false

  constructor(parts: Parts, checkpoints: Collection<{ _id: string; position: number; marked: number }>) {
    this.views = parts.views
    this.#parts = parts
    this.#checkpoints = checkpoints
  }

  /**
   * The new generation becomes live once it has passed the old one. Batches may be applied to the old one between that
   * check and the switch: so true is returned only once the new one has passed those as well. Later batches to the old
   * one throw.
   */
  async takeOver(): Promise<boolean> {
    const { live, generation, generations } = this.#parts
    if (!(await this.#hasPassed())) return false
    if (this.#isLive) {
      await generations.seenByAll()
      await generations.remove((other) => other <= live)
      return true
    }
    if (!(await generations.replace(live, generation))) throw new ViewsReplacedError()
    this.#isLive = true
    return false
  }

  async #hasPassed(): Promise<boolean> {
    const { definition, live, generation, generations } = this.#parts
    for (const view of Object.keys(definition.collections)) {
      const [old, own] = [generations.nameOf(view, live), generations.nameOf(view, generation)]
      const found = await this.#checkpoints.find({ _id: { $in: [old, own] } }).toArray()
      const positionOf = (name: string): number => found.find(({ _id }) => _id === name)?.position ?? 0
      if (positionOf(own) < positionOf(old)) return false
    }
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.views[Symbol.asyncDispose]()
    const { generation, generations } = this.#parts
    if (!this.#isLive) await generations.remove((other) => other === generation)
  }
}
