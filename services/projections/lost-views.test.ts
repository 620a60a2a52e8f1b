import { expect } from 'chai'
import { pino } from 'pino'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { emptyState } from '#packages/adapters/views-state.ts'
import { projections } from '#packages/events/views/projections.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import { caughtUp } from '#packages/foundation/readiness/readiness.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { Projector } from './projector.ts'

const copyOf = (documents: MemoryDocuments): string =>
  JSON.stringify([...documents.collections].map(([name, held]) => [name, [...held].sort()]).sort())

describe('a projector that lost its views', () => {
  let clock: ManualClock
  let documents: MemoryDocuments
  let views: MemoryViews
  let organizations: Organizations
  let projector: Projector
  let lines: { level: number; msg: string }[]
  let running: AsyncDisposable

  beforeEach(async () => {
    clock = new ManualClock()
    lines = []
    const store = new MemoryEventStore({ clock })
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const ports = { store, clock, ids: systemIds }
    documents = new MemoryDocuments()
    views = new MemoryViews({ clock, definition, documents })
    organizations = new Organizations({ ...ports, ledgers: new Ledgers(ports) })
    projector = new Projector({ store, views, clock, log, telemetry: noTelemetry }, projections)
    running = untilDisposed((signal) => projector.run(signal))
    await organizations.create('Acme', 'free')
    await projector.ready
    await settle()
  })
  afterEach(() => running[Symbol.asyncDispose]())

  const losses: Record<string, () => Promise<void>> = {
    emptied: async () => documents.empty(),
    'put back': async () => {
      const copy = documents.copy()
      await organizations.create('Later', 'pro')
      await settle()
      documents.putBack(copy)
    },
    'exchanged for those of another store': async () =>
      documents.makeNew({ ...emptyState('another', clock.now() + 1), applied: 99, isReadable: true }),
  }

  for (const [how, lose] of Object.entries(losses)) {
    it(`rebuilds them at once when they are ${how} while no event comes`, async () => {
      await lose()
      await clock.advance(1500)
      expect(await views.problem()).to.equal(undefined)
      const healed = copyOf(documents)
      documents.empty()
      await clock.advance(1500)
      expect(copyOf(documents), 'as after a replay').to.equal(healed)
      expect(lines.filter(({ msg }) => msg.includes('lost'))).to.have.length(2)
    })

    it(`rebuilds them when they are ${how} and an event comes`, async () => {
      await lose()
      const other = await organizations.create('Other', 'free')
      await settle()
      await clock.advance(100)
      expect(await views.get('balances', other.orgId)).to.include({ name: 'Other' })
      expect(documents.collections.get('balances')?.size).to.equal(how === 'put back' ? 3 : 2)
    })
  }

  it('is not ready from the moment it notices the loss until it has read all events again', async () => {
    const standing = () => caughtUp('projections', projector.lag).look()
    expect(await standing()).to.equal(undefined)
    const makeReadable = views.makeReadable.bind(views)
    views.makeReadable = () => Promise.reject(new Error('not yet'))
    documents.empty()
    expect(await views.problem(), 'the problem is seen at once').to.contain('rebuilt')
    await clock.advance(8000)
    expect(await views.problem()).to.contain('rebuilt')
    expect(await standing()).to.contain('behind')
    views.makeReadable = makeReadable
    await clock.advance(1000)
    expect(await views.problem()).to.equal(undefined)
    expect(await standing()).to.equal(undefined)
  })

  it('continues after the views were unreadable for a while', async () => {
    const verify = views.verify.bind(views)
    views.verify = () => Promise.reject(new Error('the database is away'))
    await clock.advance(10_000)
    expect(projector.lag.behindMs, 'nothing is to be written').to.equal(undefined)
    views.verify = verify
    documents.empty()
    await clock.advance(1500)
    expect(await views.problem()).to.equal(undefined)
  })
})
