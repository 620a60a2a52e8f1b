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
  /** How many there are of each. Default: one. */
  copies?: number
  /** Steps of a kind at once. */
  slots: number
  /** The checkout that they are started from, where it is not this one. */
  checkout?: URL | undefined
}

const here = new URL('../../../', import.meta.url)

/** Services in processes of their own, with steps that do nothing. Disposing ends them. */
export class Distributed implements AsyncDisposable {
  /** Of the ingress, or one of them. */
  port = 0
  readonly #children: { name: string; parts: readonly PartName[]; child: Child }[] = []
  readonly #end = new AsyncDisposableStack()

  /** Starts them and waits until they have caught up with the feed. */
  static async start({
    bench,
    env,
    processes = asStarted,
    copies = 1,
    slots,
    checkout = here,
  }: DistributedOptions): Promise<Distributed> {
    const distributed = new Distributed()
    const dataDir = await mkdtemp(join(bench.directory, 'distributed-'))
    try {
      await Promise.all(
        processes
          .flatMap((parts) => Array<readonly PartName[]>(copies).fill(parts))
          .map(async (parts, index) => {
            const name = `${parts.join(',')}-${index}`
            const child = startTested(bench, new URL('test/bench/service/distributed-process.ts', checkout), { name })
            distributed.#children.push({ name: parts.join(','), parts, child: distributed.#end.use(child) })
            const opening: Opening = { parts, env, dataDir: join(dataDir, name), slots }
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
    return this.#children.map(({ name, child }) => [name, child.pid])
  }

  /** New organizations, so many of each ingress, to which the jobs that follow belong. */
  async customers(count: number): Promise<Customer[]> {
    const made = this.#allOf('ingress').map((ingress) => ingress.call<Customer[]>('createSome', count))
    return (await Promise.all(made)).flat()
  }

  /** The same. @returns seconds @throws Error one was refused */
  async complete(jobs: number, addsAtOnce: number): Promise<number> {
    const { seconds, refused } = await this.completeAll(jobs, addsAtOnce)
    if (refused > 0) throw new Error(`${refused} of ${jobs} accepts were refused`)
    return seconds
  }

  /**
   * Accepts jobs past HTTP, and waits until the views show the end of each; of several projections none sees all ends, so
   * an ingress waits for the settlements. `refused`: how often one was tried again.
   */
  async completeAll(jobs: number, addsAtOnce: number): Promise<{ seconds: number; refused: number }> {
    const watch = this.#of(this.#allOf('projections').length > 1 ? 'ingress' : 'projections')
    await watch.call('expectSettled', jobs)
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

/** What one of several does of a number of things, so that all together do all of them. */
const partOf =
  (several: number, index: number) =>
  (count: number): number =>
    Math.floor((count * (index + 1)) / several) - Math.floor((count * index) / several)
