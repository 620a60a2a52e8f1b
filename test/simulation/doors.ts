import type { Caller } from '#packages/accounts/keys/caller.ts'
import type { Random } from '#test/doubles/random.ts'
import type { IngressNode } from './ingress-node.ts'
import type { Key } from './organizations.ts'
import type { Process } from './processes.ts'
import type { World } from './world.ts'

/** One ingress node of one process, which may be down. */
export type Door = { name: string; process: Process; place: number }

/** How long a customer waits for an answer, and an operator for a command, milliseconds. */
export const PATIENCE_MS = 9000

/** The ways into the service, and the requests that are being handled. */
export class Doors {
  readonly #world: World
  readonly #random: Random
  readonly #doors: readonly Door[]
  /** Requests for jobs that processes are handling, by organization. */
  readonly #underWay = new Map<string, Set<symbol>>()
  #planned = 0

  constructor(world: World, random: Random, processes: readonly Process[]) {
    this.#world = world
    this.#random = random
    this.#doors = processes.flatMap((process) =>
      process.parts
        .filter((part) => part === 'ingress')
        .map((_, place) => ({ name: `${process.name}/${place + 1}`, process, place })),
    )
  }

  /** Whether no act of the customers is planned or under way. */
  get idle(): boolean {
    return this.#planned === 0
  }

  /** Plans an act of a customer in `ms` milliseconds. */
  later(ms: number, act: () => Promise<unknown>): void {
    this.#planned++
    this.#world.scheduler.after(ms, () => {
      void act().finally(() => {
        this.#planned--
      })
    })
  }

  /** @returns undefined if no ingress is up */
  open(): Door | undefined {
    const open = this.#doors.filter(({ process }) => process.nodes.length > 0)
    return open.length === 0 ? undefined : this.#random.pick(open)
  }

  /** Calls a node. Rejects if no answer comes in time; the call may still take effect. */
  through<T>(door: Door, act: (node: IngressNode) => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
    const { process, place } = door
    return new Promise((resolve, reject) => {
      this.#world.scheduler.after(patienceMs, () => reject(new Error('no answer')))
      const node = process.nodes[place]
      if (node === undefined) return reject(new Error('connection refused'))
      process.life?.deliver(this.#random.between(0, 3), () => void act(node).then(resolve, reject))
    })
  }

  /** Calls a node of any ingress that is up. A call without an answer shows nothing; it may still take effect. */
  async visit(call: (door: Door) => (node: IngressNode) => Promise<unknown>): Promise<void> {
    const door = this.open()
    if (door !== undefined) await this.through(door, call(door)).catch(() => undefined)
  }

  async enter(door: Door, node: IngressNode, { id, secret }: Key): Promise<Caller> {
    const { record, scheduler } = this.#world
    const askedAt = scheduler.now
    const caller = await node.keys.find(secret)
    const accepted = caller !== undefined
    record.entrances.push({ keyId: id, node: door.name, askedAt, answeredAt: scheduler.now, accepted })
    if (caller === undefined) throw Object.assign(new Error('unauthorized'), { code: 'unauthorized' })
    return caller
  }

  /**
   * Notes that a life of a process handles a request, until it has answered or died. @returns a function that ends it
   */
  working(orgId: string, { process: { life } }: Door): () => void {
    const requests = this.#underWay.get(orgId) ?? new Set()
    this.#underWay.set(orgId, requests)
    const request = Symbol()
    const over = (): void => void requests.delete(request)
    if (life?.alive) requests.add(request)
    life?.death.signal.addEventListener('abort', over, { once: true })
    return over
  }

  /** Whether any process handles a request for a job of an organization. */
  workFor(orgId: string): boolean {
    return (this.#underWay.get(orgId)?.size ?? 0) > 0
  }
}
