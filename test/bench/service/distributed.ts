import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { type PartName, partNames } from '#services/host/serve.ts'
import type { Child } from '../kit/child.ts'
import { startTested } from '../kit/start.ts'
import type { Bench } from '../part.ts'
import type { Customer } from './customers.ts'
import type { PartOpening } from './distributed-process.ts'

export type DistributedOptions = {
  bench: Bench
  /** The variables that lead to the servers. */
  env: Record<string, string>
  /** Which services. */
  parts?: readonly PartName[]
  /** Steps of a kind at once. */
  slots: number
  /** The checkout that they are started from. Default: this one. */
  checkout?: URL | undefined
}

const here = new URL('../../../', import.meta.url)

/** Services with steps that do nothing, each a process of its own. Disposing ends them. */
export class Distributed implements AsyncDisposable {
  /** Of the ingress. */
  port = 0
  readonly #children = new Map<PartName, Child>()
  readonly #end = new AsyncDisposableStack()

  /** Starts them and waits until they have caught up with the feed. */
  static async start({
    bench,
    env,
    parts = partNames,
    slots,
    checkout = here,
  }: DistributedOptions): Promise<Distributed> {
    const distributed = new Distributed()
    const dataDir = await mkdtemp(join(bench.directory, 'distributed-'))
    try {
      await Promise.all(
        parts.map(async (part) => {
          const child = startTested(bench, new URL('test/bench/service/distributed-process.ts', checkout), {
            name: part,
          })
          distributed.#children.set(part, distributed.#end.use(child))
          const opening: PartOpening = { part, env, dataDir: join(dataDir, part), slots }
          const port = await child.call<number | undefined>('open', opening)
          if (part === 'ingress') distributed.port = port ?? 0
        }),
      )
      return distributed
    } catch (error) {
      await distributed[Symbol.asyncDispose]()
      throw error
    }
  }

  get pids(): [name: PartName, pid: number][] {
    return [...this.#children].map(([name, { pid }]) => [name, pid])
  }

  /** New organizations, to which the jobs that follow belong. */
  customers(count: number): Promise<Customer[]> {
    return this.#of('ingress').call<Customer[]>('createSome', count)
  }

  /** Accepts jobs past HTTP, and waits until the views show the end of each. @returns seconds */
  async complete(jobs: number, addsAtOnce: number): Promise<number> {
    const projections = this.#of('projections')
    await projections.call('expectSettled', jobs)
    const from = performance.now()
    await Promise.all([projections.call('whenSettled'), this.#of('ingress').call('accept', { jobs, addsAtOnce })])
    return (performance.now() - from) / 1000
  }

  /** When the first step of each job began, by the job's id: CLOCK_MONOTONIC in milliseconds. */
  async starts(): Promise<Map<string, number>> {
    return new Map(await this.#of('fetch').call<[string, number][]>('starts'))
  }

  #of(name: PartName): Child {
    const child = this.#children.get(name)
    if (child === undefined) throw new Error(`${name} was not started`)
    return child
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end.disposeAsync()
  }
}
