import { expect } from 'chai'
import { pino } from 'pino'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { settled as settledFor } from '#packages/domain/credits/credits.fixture.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { type BalanceDocument, balances } from '#packages/events/views/balances.ts'
import { jobs } from '#packages/events/views/jobs.ts'
import { type KeyDocument, keys } from '#packages/events/views/keys.ts'
import type { Projection } from '#packages/events/views/projection.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import { decorated } from '#packages/ports/decorated.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import type { Views } from '#packages/ports/views.ts'
import { names } from '#packages/telemetry/names.ts'
import { noTelemetry, type Telemetry } from '#packages/telemetry/telemetry.ts'
import { spanIdFrom, traceIdOf } from '#packages/telemetry/traceparent.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { Projector } from './projector.ts'

const log = pino({ level: 'silent' })

describe('a projector', () => {
  const clock = new ManualClock()
  let store: MemoryEventStore
  let organizations: Organizations
  const running: AsyncDisposable[] = []

  const run = (views: Views, ...of: readonly unknown[]) => runWith(noTelemetry, views, ...of)

  const runWith = (telemetry: Telemetry, views: Views, ...of: readonly unknown[]) => {
    const projector = new Projector({ store, views, clock, log, telemetry }, of as Projection[])
    running.push(untilDisposed((signal) => projector.run(signal)))
    return projector
  }

  const stopAll = async () => {
    for (const each of running.splice(0)) await each[Symbol.asyncDispose]()
  }

  beforeEach(() => {
    store = new MemoryEventStore({ clock })
    const ports = { store, clock, ids: systemIds }
    organizations = new Organizations({ ...ports, ledgers: new Ledgers(ports) })
  })

  const loseCheckpoint = (documents: MemoryDocuments): void => {
    if (documents.state !== undefined) documents.state = { ...documents.state, checkpoint: 0, applied: 0 }
  }

  afterEach(stopAll)

  it('makes documents of the stored events, then of those that are appended', async () => {
    const views = new MemoryViews({ clock, definition })
    const acme = await organizations.create('Acme', 'starter')
    await run(views, balances).ready
    expect(await views.get<BalanceDocument>('balances', acme.orgId)).to.include({
      name: 'Acme',
      plan: 'starter',
      balance: 550,
    })
    await organizations.grant(acme.orgId, 25)
    await clock.advance(1000)
    expect(await views.get<BalanceDocument>('balances', acme.orgId)).to.include({ balance: 575 })
  })

  it('resumes where it stopped after a restart; a lost checkpoint changes no document', async () => {
    const documents = new MemoryDocuments()
    const acme = await organizations.create('Acme', 'free')
    await run(new MemoryViews({ clock, definition, documents }), balances).ready
    await stopAll()
    await organizations.grant(acme.orgId, 25)
    loseCheckpoint(documents)
    const views = new MemoryViews({ clock, definition, documents })
    await run(views, balances).ready
    expect(await views.get<BalanceDocument>('balances', acme.orgId)).to.include({ balance: 75 })
  })

  it('retries for as long as the views cannot be written, and loses nothing', async () => {
    const views = new MemoryViews({ clock, definition })
    let failures = 2
    const failing = decorated<Views>(views, {
      apply: (...words) => (failures-- > 0 ? Promise.reject(new Error('disk full')) : views.apply(...words)),
    })
    const acme = await organizations.create('Acme', 'free')
    run(failing, balances)
    await clock.advance(2000)
    expect(await views.get<BalanceDocument>('balances', acme.orgId)).to.include({ balance: 50 })
  })

  describe('reports each job that it shows as ended', () => {
    const jobIds = [crypto.randomUUID(), crypto.randomUUID()] as const
    const traceparentOf = (digit: string, flag = '01') => `00-${digit.repeat(32)}-${'f'.repeat(16)}-${flag}`
    const settled = (jobId: string, traceparent: string): NewEvent => ({
      ...settledFor(jobId, 1, 0, 'completed'),
      id: crypto.randomUUID(),
      metadata: { orgId: 'acme', correlationId: jobId, causationId: jobId, traceparent },
    })
    const placesOf = ({ spans }: RecordingTelemetry) =>
      spans.map(({ name, traceparent, parentId }) => [name, traceIdOf(traceparent), parentId])

    it('with a span under the root of the job, if its trace is recorded', async () => {
      const telemetry = new RecordingTelemetry()
      await runWith(telemetry, new MemoryViews({ clock, definition }), jobs).ready
      const [one, other] = jobIds
      await store.append('credits-acme', 'no-stream', [
        settled(one, traceparentOf('1')),
        settled(other, traceparentOf('2', '00')),
      ])
      await settle()
      expect(placesOf(telemetry)).to.deep.equal([['project job', '1'.repeat(32), spanIdFrom(one)]])
      expect(telemetry.spans[0]?.attributes).to.deep.equal({ [names.jobId]: one, [names.orgId]: 'acme' })
    })

    it('including jobs that ended while it was stopped, but not during a rebuild', async () => {
      const documents = new MemoryDocuments()
      await organizations.create('Acme', 'free')
      await run(new MemoryViews({ clock, definition, documents }), keys, jobs).ready
      await stopAll()
      await store.append('credits-acme', 'no-stream', [settled(jobIds[0], traceparentOf('1'))])
      const later = new RecordingTelemetry()
      await runWith(later, new MemoryViews({ clock, definition, documents }), keys, jobs).ready
      expect(placesOf(later)).to.have.length(1)
      const anew = new RecordingTelemetry()
      await runWith(anew, new MemoryViews({ clock, definition }), keys, jobs).ready
      expect(placesOf(anew)).to.deep.equal([])
    })
  })

  it('writes nothing for events that change nothing, and announces its position at once for the others', async () => {
    const views = new MemoryViews({ clock, definition })
    const acme = await organizations.create('Acme', 'free')
    await run(views, keys, jobs).ready
    const caughtUp = await views.checkpoint()
    await organizations.grant(acme.orgId, 25)
    await settle()
    expect(await views.waitForApplied(caughtUp + 1, 0)).to.equal(false)
    const other = await organizations.create('Other', 'free')
    await settle()
    const [created] = await store.read(`key-${other.keyId}`)
    expect(await views.waitForApplied(created?.position ?? Number.NaN, 0)).to.equal(true)
    expect(await views.checkpoint()).to.equal(caughtUp)
    await clock.advance(1000)
    expect(await views.checkpoint()).to.be.at.least(created?.position ?? Number.NaN)
  })

  it('makes the same documents as others that run beside it, and none of them ends', async () => {
    const documents = new MemoryDocuments()
    const all = Array.from({ length: 3 }, () => run(new MemoryViews({ clock, definition, documents }), keys, balances))
    await Promise.all(all.map(({ ready }) => Promise.race([ready, clock.advance(5000)])))
    const made = [await organizations.create('Acme', 'free'), await organizations.create('Other', 'pro')]
    await clock.advance(5000)
    await stopAll()
    const alone = new MemoryDocuments()
    await run(new MemoryViews({ clock, definition, documents: alone }), keys, balances).ready
    await clock.advance(1000)
    expect(documents.collections).to.deep.equal(alone.collections)
    expect(documents.collections.get('keys')?.size).to.equal(made.length)
  })

  describe('removes the documents of removed streams', () => {
    const decide = async (...streams: [string, ...string[]]): Promise<void> => {
      const event = { type: 'StreamsRemoved', data: { reason: 'forgotten', streams } } as const
      await store.append(`removal-${streams[0]}`, 'no-stream', [
        { ...event, id: crypto.randomUUID(), metadata: metadataOf('waits') },
      ])
    }
    const removeStreams = async (...streams: [string, ...string[]]): Promise<void> => {
      await decide(...streams)
      for (const stream of streams) await store.remove(stream)
    }

    it('at the time of their removal, and no others', async () => {
      const views = new MemoryViews({ clock, definition })
      const [acme, other] = [await organizations.create('Acme', 'free'), await organizations.create('Other', 'free')]
      await run(views, keys, balances).ready
      await removeStreams(`key-${acme.keyId}`, `credits-${acme.orgId}`, `organization-${acme.orgId}`)
      await settle()
      expect(await views.get('keys', acme.keyId)).to.equal(undefined)
      expect(await views.get('balances', acme.orgId)).to.equal(undefined)
      expect(await views.get('keys', other.keyId)).to.include({ name: 'first key' })
      expect(await views.get<BalanceDocument>('balances', other.orgId)).to.include({ balance: 50 })
    })

    it('including those in memory: later events start a new document', async () => {
      const names = { name: 'balances', prefixes: ['credits-'], collection: {} }
      const grants: Projection = {
        ...names,
        changeOf: ({ type, stream }) =>
          type === 'CreditsGranted' ? { id: `${stream}/`, next: (was) => ({ n: Number(was?.n ?? 0) + 1 }) } : undefined,
        removedWith: (stream) => ({ idPrefix: `${stream.replace('key', 'credits')}/` }),
      }
      const views = new MemoryViews({ clock, definition })
      const { orgId } = await organizations.create('Acme', 'free')
      await run(views, grants).ready
      await organizations.grant(orgId, 1)
      await settle()
      expect(await views.get('balances', `credits-${orgId}/`)).to.include({ n: 2 })
      await removeStreams(`key-${orgId}`)
      await organizations.grant(orgId, 1)
      await settle()
      expect(await views.get('balances', `credits-${orgId}/`)).to.include({ n: 1 })
    })

    it('including those removed while it was stopped; a rebuild without their events gives the same', async () => {
      const documents = new MemoryDocuments()
      const [acme, other] = [await organizations.create('Acme', 'free'), await organizations.create('Other', 'free')]
      await run(new MemoryViews({ clock, definition, documents }), keys, balances).ready
      await stopAll()
      await removeStreams(`key-${acme.keyId}`, `organization-${acme.orgId}`)
      await removeStreams(`credits-${acme.orgId}`)
      const views = new MemoryViews({ clock, definition, documents })
      const rebuilt = new MemoryViews({ clock, definition })
      await run(views, keys, balances).ready
      await run(rebuilt, keys, balances).ready
      for (const each of [views, rebuilt]) {
        expect(await each.getMany('keys', [acme.keyId, other.keyId])).to.have.length(1)
        expect(await each.getMany('balances', [acme.orgId, other.orgId])).to.have.length(1)
      }
    })
  })

  it('saves its checkpoint after a limited number of events that change nothing', async () => {
    const views = new MemoryViews({ clock, definition })
    const acme = await organizations.create('Acme', 'free')
    await run(views, keys, jobs).ready
    const caughtUp = await views.checkpoint()
    for (let grants = 0; grants < 1000; grants++) await organizations.grant(acme.orgId, 1)
    await settle()
    expect(await views.checkpoint()).to.be.greaterThan(caughtUp)
  })

  it('moves its checkpoint past an event with a newer document, because readers wait for it', async () => {
    const documents = new MemoryDocuments()
    const acme = await organizations.create('Acme', 'free')
    await run(new MemoryViews({ clock, definition, documents }), keys).ready
    await stopAll()
    const [created] = await store.read(`key-${acme.keyId}`)
    loseCheckpoint(documents)
    const views = new MemoryViews({ clock, definition, documents })
    run(views, keys)
    await settle()
    expect(await views.checkpoint()).to.be.at.least(created?.position ?? Number.NaN)
  })

  it('reads no document that an event of the batch creates, and does not overwrite a newer one', async () => {
    const documents = new MemoryDocuments()
    const acme = await organizations.create('Acme', 'free')
    const stored = { collection: 'keys', id: acme.keyId, position: 1_000_000, fields: { name: 'from later on' } }
    const views = new MemoryViews({ clock, definition, documents })
    await views.begin()
    await views.apply([stored], { position: 0, checkpoint: 0 })
    const read: string[] = []
    views.getMany = async (_collection, ids) => {
      read.push(...ids)
      return []
    }
    await run(views, keys).ready
    expect(read).to.deep.equal([])
    expect(await views.get<KeyDocument>('keys', acme.keyId)).to.include({ name: 'from later on' })
  })
})
