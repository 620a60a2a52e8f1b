import { join } from 'node:path'
import { processes } from '#services/host/processes.ts'
import type { PartName } from '#services/host/serve.ts'
import type { Child } from '../kit/child.ts'
import { startTested } from '../kit/start.ts'
import type { Bench } from '../part.ts'
import type { Customer } from './customers.ts'
import type { Opening } from './distributed-process.ts'

export type DistributedOptions = {
  bench: Bench
  /** The environment variables that name the servers. */
  env: Record<string, string>
  /** The parts that each process serves. Default: as `npm run start:distributed` starts those that a job meets. */
  processes?: readonly (readonly PartName[])[]
  /** How many processes serve each of these. Default: one. */
  copies?: number
  /** Steps of a kind at once. */
  slots: number
  /** The checkout that they are started from, if it is not this one. */
  checkout?: URL | undefined
}

const here = new URL('../../../', import.meta.url)

/** The processes of `npm run start:distributed`, without those that reach outside for something else than a job. */
export const processesForJobs = processes.filter(
  ([part]) => part !== 'webhooks' && part !== 'batches' && part !== 'watches',
)

/** Services in processes of their own, with steps that do nothing. Disposing ends them. */
export class Distributed implements AsyncDisposable {
  /** The port of the ingress, or of one of them. */
  port = 0
  readonly #children: { name: string; parts: readonly PartName[]; child: Child }[] = []
  readonly #end = new AsyncDisposableStack()
  readonly #options: DistributedOptions
  readonly #dataDir: string

  private constructor(options: DistributedOptions, dataDir: string) {
    this.#options = options
    this.#dataDir = dataDir
  }

  /** Starts them and waits until they have caught up with the feed. */
  static async start(options: DistributedOptions): Promise<Distributed> {
    const { bench, processes = processesForJobs, copies = 1 } = options
    const distributed = new Distributed(options, await bench.folder('distributed'))
    try {
      const all = processes.flatMap((parts) => Array<readonly PartName[]>(copies).fill(parts))
      await Promise.all(all.map((parts) => distributed.another(parts)))
      return distributed
    } catch (error) {
      await distributed[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Starts one more process of these parts. Resolves once it has caught up with the feed. */
  async another(parts: readonly PartName[]): Promise<void> {
    const { bench, env, slots, checkout = here } = this.#options
    const name = `${parts.join(',')}-${this.#children.length}`
    const child = startTested(bench, new URL('test/bench/service/distributed-process.ts', checkout), { name })
    this.#children.push({ name: parts.join(','), parts, child: this.#end.use(child) })
    const opening: Opening = { parts, env, dataDir: join(this.#dataDir, name), slots }
    this.port = (await child.call<number | undefined>('open', opening)) ?? this.port
  }

  /** Kills (kill -9) the first process of a part. */
  kill(part: PartName): void {
    const index = this.#children.findIndex(({ parts }) => parts.includes(part))
    const [killed] = this.#children.splice(index, 1)
    if (killed === undefined) throw new Error(`${part} was not started`)
    process.kill(killed.child.pid, 'SIGKILL')
  }

  get pids(): [name: string, pid: number][] {
    return this.#children.map(({ name, child }) => [name, child.pid])
  }

  /** Makes this many new organizations in each ingress, to which the following jobs belong. */
  async customers(count: number): Promise<Customer[]> {
    const made = this.#allOf('ingress').map((ingress) => ingress.call<Customer[]>('createSome', count))
    return (await Promise.all(made)).flat()
  }

  /**
   * Accepts jobs and waits for their ends, as `completeAll` does.
   * @returns seconds
   * @throws Error if a job was refused
   */
  async complete(jobs: number, addsAtOnce: number, others = 0): Promise<number> {
    const { seconds, refused } = await this.completeAll(jobs, addsAtOnce, others)
    if (refused > 0) throw new Error(`${refused} of ${jobs} accepts were refused`)
    return seconds
  }

  /**
   * Accepts jobs without HTTP, and waits until the views show the end of each. With several projections, none sees all
   * ends, so an ingress waits for the settlements. `refused`: how often a job was tried again.
   * @param others jobs that other callers post meanwhile: it waits for their ends as well
   */
  async completeAll(jobs: number, addsAtOnce: number, others = 0): Promise<{ seconds: number; refused: number }> {
    const watch = this.#of(this.#allOf('projections').length > 1 ? 'ingress' : 'projections')
    await watch.call('expectSettled', jobs + others)
    const from = performance.now()
    const ingresses = this.#allOf('ingress')
    const accepting = ingresses.map((ingress, index) => {
      const part = partOf(ingresses.length, index)
      return ingress.call<number>('accept', { jobs: part(jobs), addsAtOnce: part(addsAtOnce) })
    })
    const [refused] = await Promise.all([Promise.all(accepting), watch.call('whenSettled')])
    return {
      seconds: (performance.now() - from) / 1000,
      refused: refused.reduce((sum, one) => sum + one, 0),
    }
  }

  /** When the first step of each job began, by the job's id: CLOCK_MONOTONIC in milliseconds. */
  async starts(): Promise<Map<string, number>> {
    return new Map(await this.#of('fetch').call<[string, number][]>('starts'))
  }

  #of(part: PartName): Child {
    const [child] = this.#allOf(part)
    if (child === undefined) throw new Error(`${part} was not started`)
    return child
  }

  #allOf(part: PartName): Child[] {
    return this.#children.filter(({ parts }) => parts.includes(part)).map(({ child }) => child)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end.disposeAsync()
  }
}

/** One process's share of a number of things, so that all processes together do all of them. */
const partOf =
  (several: number, index: number) =>
  (count: number): number =>
    Math.floor((count * (index + 1)) / several) - Math.floor((count * index) / several)
