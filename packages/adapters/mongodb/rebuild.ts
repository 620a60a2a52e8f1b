import type { Db } from 'mongodb'
import { type Views, type ViewsDefinition, type ViewsRebuild, ViewsReplacedError } from '#packages/ports/views.ts'
import { atStart, greatestOf, leastOf, type ShardPositions } from '../shard-positions.ts'
import { type Checkpoint, positionsOf } from './checkpoints.ts'
import { type Generations, MARK } from './generations.ts'

type Parts = {
  db: Db
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
  #isLive = false

  constructor(parts: Parts) {
    this.views = parts.views
    this.#parts = parts
  }

  /**
   * The new generation becomes live once it has passed the old one. Batches may be applied to the old one after that
   * check, until its writers notice: so true is returned only once they have, and the new one has passed those as well.
   */
  async takeOver(): Promise<boolean> {
    const { live, generation, generations } = this.#parts
    if (this.#isLive) {
      await generations.seenByAll()
      if (!(await this.#hasPassed())) return false
      await generations.remove((other) => other <= live)
      return true
    }
    if (!(await this.#hasPassed())) return false
    if (!(await generations.replace(live, generation))) throw new ViewsReplacedError()
    this.#isLive = true
    return false
  }

  /** Both the checkpoints of the old one, and the marks: what it has shown since. */
  async #hasPassed(): Promise<boolean> {
    const { db, definition, live, generation, generations } = this.#parts
    const positionsAt = async (_id: string): Promise<ShardPositions> => {
      const found = await db.collection<Checkpoint>('checkpoints').findOne({ _id })
      return found === null ? atStart : positionsOf(found)
    }
    for (const view of Object.keys(definition.collections)) {
      const [old, own] = [generations.nameOf(view, live), generations.nameOf(view, generation)]
      const reached = greatestOf(await positionsAt(old))
      const mark = await db.collection<{ _id: string; position: number }>(old).findOne({ _id: MARK })
      if (leastOf(await positionsAt(own)) < Math.max(reached, mark?.position ?? 0)) return false
    }
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.views[Symbol.asyncDispose]()
    const { generation, generations } = this.#parts
    if (!this.#isLive) await generations.remove((other) => other === generation)
  }
}
