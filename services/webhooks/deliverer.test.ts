import { expect } from 'chai'
import type { EventData } from '#contracts/generated/events.ts'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { batchRequested } from '#packages/domain/batch/batch.fixture.ts'
import { debit, hold, release } from '#packages/domain/credits/credits.fixture.ts'
import type { CreditsCommand } from '#packages/domain/credits/credits.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { AttemptResult } from '#packages/domain/webhook/delivery.ts'
import type { WebhookEventName } from '#packages/domain/webhook/webhook.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { WebhookRequest } from '#packages/jobs/webhooks/send-webhook.ts'
import { streams } from '#packages/ports/ids.ts'
import { assertMessageInContract } from '#test/doubles/ingress/contract.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { OwnerHouse } from '#test/doubles/owner-house.ts'
import { Deliverer, type DelivererPorts } from './deliverer.ts'

const ORG = 'acme'
const DAY_MS = 24 * 3_600_000
const taken: AttemptResult = { status: 200, failure: null, milliseconds: 5, answer: 'ok', retryAfterSeconds: null }

const urlWebhook = (id: string): EventData['WebhookCreated'] => {
  return { orgId: ORG, kind: 'url', host: `${id}.example.com`, events: [], results: false, createdBy: null }
}

function watchCreated(webhookId: string | null): DomainEvent {
  const nothing = { request: null, maxCreditsPerMonth: null, backfill: 0, keyId: null }
  return { type: 'WatchCreated', data: { orgId: ORG, source: {}, everySeconds: 3600, ...nothing, webhookId } }
}

function looked(look: number, ids: string[], webhookId: string | null = null): DomainEvent {
  const found = ids.map((id) => ({ id, url: `https://cdn.example.com/${id}.mp4`, title: id, publishedAt: 0 }))
  return { type: 'WatchLooked', data: { orgId: ORG, look, webhookId, seen: ['old'], failure: null, found } }
}

const batchEnded = (reason: 'completed' | 'not_accepted', webhookId: string | null = null): DomainEvent => ({
  type: 'BatchEnded',
  data: { reason, completed: 1, failed: 0, cancelled: 1, charged: 1, returned: 1, webhookId },
})

/** A store with its views, a deliverer, and a receiver with answers that the test sets. */
class House extends OwnerHouse {
  readonly sent: WebhookRequest[] = []
  /** Notifications to organizations about webhooks that were switched off. */
  readonly toldOff: object[] = []
  /** Balances about which the owners were notified, with how often credits were added. */
  readonly toldLow: [number, number][] = []
  /** How many of the next calls reject. */
  failures = 0
  /** Webhooks with their URL and secret removed. */
  readonly removed: string[] = []
  answer: (request: WebhookRequest) => AttemptResult | Promise<AttemptResult> = () => taken

  /** Starts a deliverer. @returns a function that kills it */
  start(other: Partial<DelivererPorts> = {}): () => Promise<void> {
    const deliverer = new Deliverer(
      { ...this.ports, ...other },
      {
        secrets: {
          addressOf: async (id) => ({ url: `https://hooks.example.com/${id}`, secrets: ['whsec_YQ=='] }),
          removalOf: async (id) => async () => void this.removed.push(id),
        },
        send: async (request) => {
          this.sent.push(request)
          return this.answer(request)
        },
        linkBase: 'https://video.example.com',
        notifySwitchedOff: async (off) => void this.toldOff.push(off),
        notifyLowCredits: async ({ balance, fillings }) => {
          if (this.failures-- > 0) throw new Error('the accounts are away')
          this.toldLow.push([balance, fillings])
        },
      },
    )
    return this.run(deliverer)
  }

  write(stream: string, ...events: DomainEvent[]): Promise<void> {
    return this.append(ORG, stream, ...events)
  }

  webhook(id: string, events: WebhookEventName[], kind: 'endpoint' | 'url' = 'endpoint') {
    const data = { ...urlWebhook(id), kind, events }
    return this.write(streams.webhook(id), { type: 'WebhookCreated', data })
  }

  async execute(command: CreditsCommand): Promise<void> {
    await this.ledgers.execute(ORG, { command, metadata: this.metadata(ORG) })
    await settle()
  }

  /** A job that is debited, requested, completed and settled. */
  async job(jobId: string, webhookId: string | null = null): Promise<void> {
    await this.execute(debit(jobId, 1))
    const data = jobRequested({ orgId: ORG, budget: 1, webhookId })
    const ended = { orgId: ORG, kind: 'transcript', credits: 1 } as const
    await this.write(streams.job(jobId), { type: 'JobRequested', data }, { type: 'JobCompleted', data: ended })
    await this.execute({ type: 'settle', jobId, charged: 1, reason: 'completed' })
    await this.clock.advance(100)
  }

  /** A batch that is requested and ends. */
  batch(batchId: string, over: Parameters<typeof batchRequested>[0]): Promise<void> {
    const asked = batchRequested(over)
    const requested: DomainEvent = { type: 'BatchRequested', data: asked }
    return this.write(streams.batch(batchId), requested, batchEnded('completed', asked.webhookId))
  }

  /** The messages that were sent, and the webhook of each. */
  get messages() {
    return this.sent.map(({ url, body }) => ({ to: url.split('/').at(-1), ...JSON.parse(body) }))
  }

  /** The webhook of each message that was sent, its type, and its job or the credits left. */
  get told(): unknown[] {
    return this.messages.map(({ to, type, data }) => [to, type, data.jobId ?? data.creditsLeft ?? null])
  }

  async typesOf(webhookId: string): Promise<string[]> {
    return (await this.store.read(streams.webhook(webhookId))).map(({ type }) => type)
  }
}

describe('the deliverer', () => {
  const house = openedForEach(() => new House())
  beforeEach(async () => {
    await house.execute({ type: 'grant', credits: 100, by: 'test' })
  })
  afterEach(async () => {
    for (const { body } of house.sent) assertMessageInContract(body)
  })

  it('notifies the subscribed endpoints, and the webhook that the job names, when a job ends', async () => {
    house.start()
    await house.webhook('wants', ['job.completed'])
    await house.webhook('wants-not', ['job.failed'])
    await house.webhook('own', [], 'url')
    await house.job('j1')
    expect(house.told).to.deep.equal([['wants', 'job.completed', 'j1']])
    await house.job('j2', 'own')
    expect(house.told.slice(1)).to.have.deep.members([
      ['wants', 'job.completed', 'j2'],
      ['own', 'job.completed', 'j2'],
    ])
    const { data } = JSON.parse(house.sent[0]?.body ?? '')
    expect(data.links.job).to.equal('https://video.example.com/v1/jobs/j1')
  })

  it('notifies nobody of a job whose content is being deleted', async () => {
    await house.webhook('wants', ['job.completed'])
    await house.job('j1')
    const data = { reason: 'forgotten', streams: [streams.job('j1')] } satisfies EventData['StreamsRemoved']
    await house.write(streams.removal('j1'), { type: 'StreamsRemoved', data })
    await house.job('j2')
    house.start()
    await house.clock.advance(1000)
    expect(house.told).to.deep.equal([['wants', 'job.completed', 'j2']])
  })

  it('retries with the same id and body until the receiver accepts, across restarts', async () => {
    const kill = house.start()
    await house.webhook('w', ['job.completed'])
    house.answer = () => ({ ...taken, status: 500 })
    await house.job('j1')
    await house.clock.advance(6000)
    expect(house.sent).to.have.length(2)
    await kill()
    house.start()
    await house.clock.advance(60_000)
    house.answer = () => taken
    await house.clock.advance(6 * 60_000)
    expect(house.sent).to.have.length(3)
    await house.clock.advance(3 * 60 * 60_000)
    expect(house.sent).to.have.length(3)
    expect(new Set(house.sent.map(({ headers }) => headers['webhook-id']))).to.have.length(1)
    expect(new Set(house.sent.map(({ body }) => body))).to.have.length(1)
  })

  it('delivers what happened while no deliverer ran, and nothing from before the webhook', async () => {
    await house.job('before')
    await house.webhook('w', ['job.completed'])
    await house.job('meanwhile')
    house.start()
    await house.clock.advance(1000)
    expect(house.told).to.deep.equal([['w', 'job.completed', 'meanwhile']])
  })

  it('does not let an unresponsive receiver delay other receivers', async () => {
    house.start()
    await house.webhook('slow', ['job.completed'])
    await house.webhook('quick', ['job.completed'])
    const silence = (signal: AbortSignal): Promise<AttemptResult> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    house.answer = ({ url, signal }) => (url.endsWith('slow') ? silence(signal) : taken)
    for (let n = 0; n < 9; n++) await house.job(`j${n}`)
    const to = (id: string) => house.told.filter((each) => (each as string[])[0] === id)
    expect(to('quick')).to.have.length(9)
    expect(to('slow'), 'four at once for one host').to.have.length(4)
  })

  it('switches off a webhook that answers 410, and drops its open deliveries', async () => {
    house.start()
    await house.webhook('w', ['job.completed'])
    house.answer = () => ({ ...taken, status: 410 })
    await house.job('j1')
    expect(await house.typesOf('w')).to.deep.equal(['WebhookCreated', 'WebhookSwitchedOff'])
    await house.job('j2')
    expect(house.sent).to.have.length(1)
    const off = { orgId: ORG, webhookId: 'w', host: 'w.example.com', reason: 'gone' }
    expect(house.toldOff).to.deep.equal([off])
  })

  it('reports the finds of a watch in order, also to the URL that the watch names, which stays open', async () => {
    house.start()
    await house.webhook('w', ['watch.found'])
    await house.webhook('others', ['job.completed'])
    await house.write(streams.webhook('own'), { type: 'WebhookCreated', data: urlWebhook('own') })
    await house.write(streams.watch('watch-1'), watchCreated('own'), looked(1, [], 'own'))
    await house.write(streams.watch('watch-1'), looked(2, ['a', 'b'], 'own'))
    await house.clock.advance(100)
    await house.clock.jump(4 * DAY_MS)
    await house.clock.advance(11 * 60_000)
    await house.write(streams.watch('watch-1'), looked(3, ['c'], 'own'))
    await house.clock.advance(100)
    const told = house.messages
    for (const to of ['w', 'own']) {
      const its = told.filter((each) => each.to === to)
      expect(its.map(({ type }) => type)).to.deep.equal(['watch.found', 'watch.found'])
      const numbers = its.map(({ data }) => data.found.map((video: { number: number }) => video.number))
      expect(numbers).to.deep.equal([[1, 2], [3]])
      expect(its[1].data.links.found).to.match(/\/v1\/watches\/watch-1\/found\?after=2$/)
    }
    expect(told.some(({ to }) => to === 'others')).to.equal(false)
  })

  it('reports the end of a batch once, also to the URL that it names, unless the batch was not accepted', async () => {
    house.start()
    await house.webhook('w', ['batch.ended'])
    await house.webhook('others', ['job.completed'])
    await house.write(streams.webhook('own'), { type: 'WebhookCreated', data: urlWebhook('own') })
    await house.batch('b', { orgId: ORG, webhookId: 'own', held: 2 })
    await house.write(streams.batch('cut-off'), batchEnded('not_accepted'))
    await house.clock.advance(100)
    const told = house.messages
    expect(told.map(({ to }) => to).sort()).to.deep.equal(['own', 'w'])
    expect(told[0].data).to.deep.include({
      ...{ batchId: 'b', operation: 'extraction', reason: 'completed', completed: 1, failed: 0, cancelled: 1 },
      ...{ creditsCharged: 1, creditsReturned: 1 },
    })
    expect(told[0].data.links.results).to.match(/\/v1\/batches\/b\/results$/)
  })

  it('ends the webhook of a URL that no job has named for days, and leaves endpoints and others alone', async () => {
    house.start()
    await house.webhook('endpoint', ['job.completed'])
    await house.webhook('unnamed', [], 'url')
    await house.webhook('waits', [], 'url')
    house.answer = () => ({ ...taken, status: 500 })
    await house.job('j1', 'waits')
    await house.clock.jump(2 * DAY_MS)
    await house.write(streams.webhook('named'), { type: 'WebhookCreated', data: urlWebhook('named') })
    await house.clock.jump(DAY_MS)
    await house.clock.advance(11 * 60_000)
    expect(await house.typesOf('unnamed')).to.deep.equal(['WebhookCreated', 'WebhookRemoved'])
    for (const id of ['endpoint', 'named', 'waits'])
      expect(await house.typesOf(id), id).to.not.include('WebhookRemoved')
    expect(house.removed).to.deep.equal(['unnamed'])
  })

  it('keeps the webhook of a URL that a batch names until the batch has ended', async () => {
    house.start()
    await house.webhook('own', [], 'url')
    await house.execute(hold('b', 30))
    const data = batchRequested({ orgId: ORG, webhookId: 'own' })
    await house.write(streams.batch('b'), { type: 'BatchRequested', data })
    await house.clock.jump(4 * DAY_MS)
    await house.clock.advance(11 * 60_000)
    expect(await house.typesOf('own')).to.deep.equal(['WebhookCreated'])
    await house.write(streams.batch('b'), batchEnded('completed', 'own'))
    await house.execute(release('b'))
    await house.clock.advance(11 * 60_000)
    expect(house.told).to.deep.equal([['own', 'batch.ended', null]])
    expect(await house.typesOf('own')).to.deep.equal(['WebhookCreated', 'WebhookRemoved'])
  })

  it('reports low credits once, and again only after they were filled up', async () => {
    house.start()
    await house.webhook('w', ['credits.low'])
    await house.execute(debit('large', 95))
    await house.clock.advance(100)
    await house.job('j1')
    expect(house.told).to.deep.equal([['w', 'credits.low', 5]])
    await house.execute({ type: 'grant', credits: 50, by: 'test' })
    await house.job('j2')
    expect(house.sent).to.have.length(1)
    await house.execute(debit('larger', 50))
    await house.clock.advance(100)
    expect(house.told.slice(1)).to.deep.equal([['w', 'credits.low', 3]])
  })

  it('reports low credits at once if too few were added, and nothing new after a restart', async () => {
    const kill = house.start()
    await house.execute(debit('large', 95))
    await house.clock.advance(100)
    await house.execute({ type: 'grant', credits: 2, by: 'test' })
    await house.clock.advance(100)
    await kill()
    house.start()
    await house.clock.advance(6000)
    expect(house.toldLow.map(String), 'once for each mark').to.have.members(['5,1', '7,2', '7,2'])
  })

  it('notifies owners of low credits without any webhook, again after a failure, and of what happened while it was down', async () => {
    const kill = house.start()
    await house.execute(debit('large', 80))
    await house.clock.advance(6000)
    expect(house.toldLow).to.deep.equal([])
    await kill()
    await house.execute(debit('larger', 15))
    house.failures = 1
    house.start()
    await house.clock.advance(3000)
    expect(house.toldLow).to.deep.equal([[5, 1]])
  })

  it('reads the balance if its ledger in memory lacks what another process appended', async () => {
    const own = new Ledgers({ store: house.store, clock: house.clock, ids })
    await own.known(ORG)
    await house.execute(debit('large', 80))
    await house.clock.advance(6000)
    house.start({ ledgers: own })
    await house.clock.advance(100)
    await house.execute(debit('larger', 15))
    await house.clock.advance(100)
    expect(house.toldLow).to.deep.equal([[5, 1]])
  })

  it('replays the missed messages under the same ids', async () => {
    house.start()
    await house.job('before')
    await house.batch('batch-before', { orgId: ORG })
    await house.write(streams.watch('watch-1'), watchCreated(null), looked(1, []), looked(2, ['a']))
    await house.webhook('w', ['job.completed', 'batch.ended', 'watch.found'])
    await house.job('after')
    await house.batch('batch-after', { orgId: ORG })
    await house.write(streams.watch('watch-1'), looked(3, ['b']))
    await house.clock.advance(5000)
    expect(house.sent).to.have.length(3)
    const replay: DomainEvent = { type: 'WebhookReplayAsked', data: { orgId: ORG, sinceSeconds: 60 } }
    await house.write(streams.webhook('w'), replay)
    await house.clock.advance(1000)
    const about = house.messages.map(({ data }) => data.jobId ?? data.batchId ?? data.found[0].id)
    expect(about.slice(3).sort()).to.deep.equal(['a', 'after', 'b', 'batch-after', 'batch-before', 'before'])
    expect(new Set(house.sent.map(({ headers }) => headers['webhook-id']))).to.have.length(6)
  })

  it('delivers nothing while another process is the owner', async () => {
    house.start({ ownership: { async *owned() {} } })
    await house.webhook('w', ['job.completed'])
    await house.job('j1')
    expect(house.sent).to.deep.equal([])
  })
})
