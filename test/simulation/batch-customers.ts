import { assertScope } from '#packages/accounts/keys/assert-scope.ts'
import { noOptions } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { ReadSource } from '#packages/platforms/sources/read-source.ts'
import { Doors } from './doors.ts'
import { type IngressNode, traceparent } from './ingress-node.ts'
import type { Key, Organization } from './organizations.ts'
import type { Process } from './processes.ts'
import type { BatchAsked } from './record.ts'
import { makeVideo } from './videos.ts'
import type { World } from './world.ts'

const MAX_TRIES = 4

/** The credits of a few organizations cover no more. */
const SOURCE_LIMIT = 10

const sourceUrl = (number: number): string => `https://www.youtube.com/playlist?list=${number}`

/** The numbers of their videos begin here. */
const FIRST_VIDEO = 100_000

/** The pages of the lists of the run's sources. A source sometimes refuses a read. */
export const sourceOf =
  ({ random, sources }: World): ReadSource =>
  async (source, cursor) => {
    const urls = sources.get((source as { url: string }).url) ?? []
    const from = Number(cursor ?? 0)
    if (random.fork(`source ${from} ${sources.refused++}`).chance(0.3))
      throw new ServiceError('upstream_error', 'refused')
    const items = urls.slice(from, from + 2).map((url) => ({ id: url, url, title: null, publishedAt: null }))
    return { items, next: from + 2 < urls.length ? String(from + 2) : null }
  }

type BatchWish = {
  number: number
  /** True: the videos are those of a source. */
  isSource: boolean
  tellsItems: boolean
  organization: Organization
  key: Key
  mode: 'native' | 'auto' | 'generate'
  urls: readonly string[]
  maxCredits: number | null
  idempotencyKey: string | undefined
}

/** Customers who request batches, poll them, and cancel some. */
export class BatchCustomers {
  readonly #world: World
  readonly #random
  readonly #organizations: readonly Organization[]
  readonly #doors: Doors

  constructor(world: World, organizations: readonly Organization[], processes: readonly Process[]) {
    this.#world = world
    this.#random = world.random.fork('batches')
    this.#organizations = organizations
    this.#doors = new Doors(world, this.#random, processes)
  }

  /** Whether no request is planned or under way. */
  get idle(): boolean {
    return this.#doors.idle
  }

  /** Plans all requests of the run. */
  start(): void {
    const { batches, asksForMs } = this.#world.settings
    for (let number = 0; number < batches; number++) {
      const wish = this.#wish(number)
      const at = this.#random.between(0, asksForMs)
      this.#doors.later(at, () => this.#ask(wish))
      if (wish.idempotencyKey === undefined) continue
      for (let repeat = this.#random.pick([0, 0, 1, 2]); repeat > 0; repeat--)
        this.#doors.later(at + this.#random.pick([0, 20, 1000, 20_000]), () => this.#ask(wish))
    }
  }

  #wish(number: number): BatchWish {
    const random = this.#random.fork(`wish ${number}`)
    const organization = random.pick(this.#organizations)
    const [first, second, ...limited] = organization.keys
    const key = random.pick([first, second, ...limited].filter((key) => key !== undefined))
    const videos = Array.from({ length: random.between(1, 7) }, (_, n) =>
      makeVideo(random, FIRST_VIDEO + 100 * number + n, this.#world.settings),
    )
    for (const video of videos) this.#world.videos.set(video.url, video)
    const urls = videos.map(({ url }) => url)
    const again = random.chance(0.3) ? urls.slice(0, 1) : []
    const maxCredits = random.chance(0.3) ? random.between(5, 20) : null
    const idempotencyKey = random.chance(0.7) ? `batch ${number}` : undefined
    const mode = random.pick(['native', 'auto', 'generate'] as const)
    const isSource = random.chance(0.3)
    const tellsItems = random.chance(0.5)
    if (isSource) this.#world.sources.set(sourceUrl(number), [...urls, ...again])
    return {
      number,
      organization,
      key,
      mode,
      urls: [...urls, ...again],
      isSource,
      tellsItems,
      maxCredits,
      idempotencyKey,
    }
  }

  async #ask(wish: BatchWish): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const { answer } = await this.#askOnce(wish)
      if (answer !== undefined && 'batchId' in answer) return this.#follow(wish, answer.batchId)
      const isFinal = answer !== undefined && answer.error !== 'unavailable'
      // Without an Idempotency-Key a second request might make a second batch.
      if (isFinal || wish.idempotencyKey === undefined) return
      await this.#world.scheduler.sleep(this.#random.between(200, 3000))
    }
  }

  async #askOnce(wish: BatchWish): Promise<BatchAsked> {
    const { record, scheduler, trace } = this.#world
    const { organization, key, urls, idempotencyKey } = wish
    const { orgId } = organization
    const asked: BatchAsked = { orgId, keyId: key.id, idempotencyKey, urls }
    const door = this.#doors.open()
    if (door === undefined) return asked
    record.batches.push(asked)
    trace.add('customer', `asks ${door.name} for a batch of ${urls.length}`)
    const create = async (node: IngressNode): Promise<void> => {
      const { keyId, grant } = await this.#doors.enter(door, node, key)
      assertScope(grant, 'jobs')
      const { mode, maxCredits } = wish
      const { batchId } = await node.batches.create({
        request: { kind: 'transcript', mode, lang: null, prompt: null, schema: null, options: noOptions },
        videos: wish.isSource ? [] : urls.map((url, index) => ({ url, line: index + 1 })),
        source: wish.isSource
          ? { from: { type: 'playlist', url: sourceUrl(wish.number) }, limit: SOURCE_LIMIT, since: null }
          : null,
        maxCredits,
        skippedLines: 0,
        keyId,
        surface: 'api',
        monthlyCredits: grant.monthlyCredits,
        idempotencyKey,
        webhook: undefined,
        tellsItems: wish.tellsItems,
        metadata: { orgId, causationId: `batch of ${orgId}`, traceparent },
      })
      asked.answer = { at: scheduler.now, batchId }
      trace.add('customer', `is given the batch ${batchId}`)
    }
    await this.#doors.through(door, create).catch((error: { code?: string; message: string }) => {
      trace.add('customer', `is refused a batch: ${error.code ?? error.message}`)
      if (error.code !== undefined) asked.answer = { at: scheduler.now, error: error.code }
    })
    return asked
  }

  /** Some batches are cancelled. All are polled, also by strangers. */
  async #follow({ organization, key }: BatchWish, batchId: string): Promise<void> {
    const { scheduler, record, trace } = this.#world
    const random = this.#random.fork(`follow ${batchId} at ${scheduler.now}`)
    const { orgId } = organization
    for (let left = random.between(0, 3); left > 0; left--) {
      await scheduler.sleep(random.pick([10, 500, 3000, 12_000]))
      const asker = random.chance(0.3) ? random.pick(this.#organizations).orgId : orgId
      await this.#look(asker, batchId, asker === orgId)
    }
    if (!random.chance(0.3)) return
    const door = this.#doors.open()
    if (door === undefined) return
    record.cancelledBatches.add(batchId)
    const metadata = { orgId, correlationId: batchId, causationId: 'a cancellation', traceparent }
    await this.#doors
      .through(door, (node) => node.batches.cancel(batchId, { by: key.id, metadata }))
      .then(() => trace.add('customer', `has cancelled the batch ${batchId}`))
      .catch(() => undefined)
  }

  async #look(orgId: string, batchId: string, isOwn: boolean): Promise<void> {
    const { record } = this.#world
    await this.#doors.visit(() => async ({ batches }) => {
      const { items } = await batches.items(orgId, batchId, { limit: 100 })
      if (!isOwn) record.violations.push(`6: a stranger sees the batch ${batchId}`)
      const { counts } = await batches.get(orgId, batchId)
      const sum = Object.values(counts).reduce((all, each) => all + each, 0)
      if (sum < items.length) record.violations.push(`17: ${sum} of ${items.length} items of ${batchId} are counted`)
    })
  }
}
