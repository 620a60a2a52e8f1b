import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { processes as asStarted } from '#services/host/processes.ts'
import type { PartName } from '#services/host/serve.ts'
import type { Child } from '../kit/child.ts'
import { startTested } from '../kit/start.ts'
import type { Bench } from '../part.ts'
import type { Customer } from './customers.ts'
import type { Opening } from './distributed-process.ts'

export type DistributedOptions = {
  bench: Bench
  /** The variables that lead to the servers. */
  env: Record<string, string>
  /** What each process serves; by default as `npm run start:distributed` starts them. */
  processes?: readonly (readonly PartName[])[]
  /** Steps of a kind at once. */
  slots: number
  /** The checkout that they are started from, where it is not this one. */
  checkout?: URL | undefined
}

const here = new URL('../../../', import.meta.url)

/** Services in processes of their own, with steps that do nothing. Disposing ends them. */
export class Distributed implements AsyncDisposable {
  /** Of the ingress. */
  port = 0
  readonly #children = new Map<string, Child>()
  readonly #end = new AsyncDisposableStack()

  /** Starts them and waits until they have caught up with the feed. */
  static async start({
    bench,
    env,
    processes = asStarted,
    slots,
    checkout = here,
  }: DistributedOptions): Promise<Distributed> {
    const distributed = new Distributed()
    const dataDir = await mkdtemp(join(bench.directory, 'distributed-'))
    try {
      await Promise.all(
        processes.map(async (parts) => {
          const name = parts.join(',')
          const child = startTested(bench, new URL('test/bench/service/distributed-process.ts', checkout), { name })
          distributed.#children.set(name, distributed.#end.use(child))
          // An older checkout starts one part in each process.
          const opening: Opening & { part?: PartName | undefined } = {
            parts,
            part: parts[0],
            env,
            dataDir: join(dataDir, name),
            slots,
          }
          distributed.port = (await child.call<number | undefined>('open', opening)) ?? distributed.port
        }),
      )
      return distributed
    } catch (error) {
      await distributed[Symbol.asyncDispose]()
      throw error
    }
  }

  get pids(): [name: string, pid: number][] {
    return [...this.#children].map(([name, { pid }]) => [name, pid])
  }

  /** New organizations, to which the jobs that follow belong. */
  customers(count: number): Promise<Customer[]> {
    return this.#of('ingress').call<Customer[]>('createSome', count)
  }

  /** The same. @returns seconds @throws Error one was refused */
  async complete(jobs: number, addsAtOnce: number): Promise<number> {
    const { seconds, refused } = await this.completeAll(jobs, addsAtOnce)
    if (refused > 0) throw new Error(`${refused} of ${jobs} accepts were refused`)
    return seconds
  }

  /** Accepts jobs past HTTP, and waits until the views show the end of each. `refused`: how often one was tried again. */
  async completeAll(jobs: number, addsAtOnce: number): Promise<{ seconds: number; refused: number }> {
    const projections = this.#of('projections')
    await projections.call('expectSettled', jobs)
    const from = performance.now()
    // An older checkout counts no refusals: it fails.
    const accepting = this.#of('ingress').call<number | undefined>('accept', { jobs, addsAtOnce })
    const [refused = 0] = await Promise.all([accepting, projections.call('whenSettled')])
    return { seconds: (performance.now() - from) / 1000, refused }
  }

  /** When the first step of each job began, by the job's id: CLOCK_MONOTONIC in milliseconds. */
  async starts(): Promise<Map<string, number>> {
    return new Map(await this.#of('fetch').call<[string, number][]>('starts'))
  }

  #of(part: PartName): Child {
    for (const [name, child] of this.#children) if (name.split(',').includes(part)) return child
    throw new Error(`${part} was not started`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end.disposeAsync()
  }
}
