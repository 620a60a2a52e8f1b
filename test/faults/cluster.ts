import type { Engine } from '#ops/local-engines/engine.ts'
import { type Family, families, variableOf } from '#ops/local-engines/local-engines.ts'
import { type OwnEngines, startOwnEngines } from '#test/doubles/engines/own-engines.ts'

const BROKERS = 3

/** Every engine of the distributed mode in processes of our own: brokers, and one server of each other kind. */
export class Cluster implements AsyncDisposable {
  readonly #started: ReadonlyMap<Family, OwnEngines>

  private constructor(started: ReadonlyMap<Family, OwnEngines>) {
    this.#started = started
  }

  /** @throws EngineUnavailableError if this machine lacks what one of them needs */
  static async start(brokers = BROKERS): Promise<Cluster> {
    await using opening = new AsyncDisposableStack()
    const started = new Map<Family, OwnEngines>()
    for (const family of families)
      started.set(family, opening.use(await startOwnEngines(family, family === 'kafka' ? brokers : undefined)))
    opening.move()
    return new Cluster(started)
  }

  /** The variables that name them. */
  get variables(): Record<string, string> {
    return Object.fromEntries([...this.#started].map(([family, { url }]) => [variableOf[family], url]))
  }

  /** The processes that were started, one line for each. */
  get labels(): string[] {
    return [...this.#started.values()].map(({ label }) => label)
  }

  get brokers(): readonly Engine[] {
    return this.#started.get('kafka')?.engines ?? []
  }

  get views(): Engine {
    return this.#one('mongodb')
  }

  get store(): Engine {
    return this.#one('eventstoredb')
  }

  #one(family: Family): Engine {
    const engine = this.#started.get(family)?.engines[0]
    if (engine === undefined) throw new Error(`${family} was not started`)
    return engine
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const engines of this.#started.values()) await engines[Symbol.asyncDispose]()
  }
}

/** Does something to the files of a killed server, and starts it again. */
export async function whileDown(engine: Engine, act: () => Promise<void>): Promise<void> {
  await engine.kill()
  await act()
  await engine.start()
}
