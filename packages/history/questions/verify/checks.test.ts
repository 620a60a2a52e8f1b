import { expect } from 'chai'
import { credits, statement } from '#packages/domain/credits/credits.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { eventId } from '#packages/ports/ids.ts'
import { checked, lastAt, renumbered } from './checked-history.fixture.ts'
import { madeHistory } from './made-history.fixture.ts'
import type { Verified } from './verify-history.ts'

const HOUR_MS = 3_600_000

type EventType = StoredEvent['type']
type EventOf<Type extends EventType> = Extract<StoredEvent, { type: Type }>

/** The numbers of the broken invariants; `streams` and so on for those without a number. */
const brokenIn = ({ outcomes }: Verified): string[] =>
  outcomes.filter(({ broken }) => broken > 0).map(({ number, promise }) => number || promise)

/** The description of the first event that breaks an invariant. */
async function saidOf(number: string, events: readonly StoredEvent[]): Promise<string> {
  const { first } = (await checked(events)).outcomes.find((one) => one.number === number) ?? {}
  return first === undefined ? 'holds' : `${first.type}: ${first.what}`
}

/** A history with all of these events. */
function historyWith(...isWanted: ((event: StoredEvent) => boolean)[]): StoredEvent[] {
  for (let seed = 1; seed <= 300; seed++) {
    const events = madeHistory(seed)
    if (isWanted.every((wanted) => events.some(wanted))) return events
  }
  throw new Error('no history has them')
}

const is =
  <Type extends EventType>(type: Type, wanted: (data: EventOf<Type>['data']) => boolean = () => true) =>
  (event: StoredEvent): event is EventOf<Type> =>
    event.type === type && wanted(event.data as EventOf<Type>['data'])

/** The history with some events replaced; their ids stay. */
const replacing = (
  events: readonly StoredEvent[],
  isWanted: (event: StoredEvent) => boolean,
  fields: (event: StoredEvent) => object,
): StoredEvent[] => {
  const found = events.find(isWanted)
  return events.map((event) => (event === found ? ({ ...event, ...fields(event) } as StoredEvent) : event))
}

const withData = (more: object) => (event: StoredEvent) => ({ data: { ...event.data, ...more } })

/** The history with one more event at the end of a stream, right after another event of the feed. */
function adding(events: readonly StoredEvent[], after: StoredEvent | undefined, event: object): StoredEvent[] {
  if (after === undefined) throw new Error('there is nothing to add to')
  const { stream = after.stream } = event as { stream?: string }
  const position = after.position + 0.5
  const revision = events.filter((one) => one.stream === stream && one.position < position).length
  const added = { ...after, position, revision, id: `added ${position}`, ...event } as StoredEvent
  return events
    .map((one) => (one.stream === stream && one.position > position ? { ...one, revision: one.revision + 1 } : one))
    .concat(added)
    .sort((one, other) => one.position - other.position)
}

describe('an invariant is broken', () => {
  it('1: by an event after the end of a job that is long forgotten', async () => {
    const events = historyWith(is('JobCompleted'))
    const end = events.find(is('JobCompleted')) as StoredEvent
    const started = {
      type: 'StepStarted',
      stream: end.stream,
      data: { step: 'fetch', attempt: 9, worker: 'w', leaseSeconds: 30 },
    }
    const after = events.at(-1) as StoredEvent
    expect(await saidOf('1', adding(events, after, started))).to.equal(
      'StepStarted: StepStarted comes after JobCompleted, the end of the job',
    )
    expect(
      await saidOf('1', adding(events, after, { ...end, position: after.position + 0.5, revision: end.revision + 1 })),
    ).to.contain('JobCompleted comes after JobCompleted')
  })

  it('1: by a job that has no end, or a late one', async () => {
    const events = historyWith(is('JobCompleted'))
    const end = events.find(is('JobCompleted')) as StoredEvent
    const isSettlement = is('CreditsSettled', ({ jobId }) => end.stream === `job-${jobId}`)
    const before = events.slice(0, events.indexOf(end))
    expect(await saidOf('1', before)).to.contain('JobRequested: the job has no end')
    // No attempt was at work, as far as events show.
    expect(brokenIn(await checked(before, { workingAt: undefined }))).to.deep.equal([])
    const late = [...events.filter((event) => event !== end && !isSettlement(event)), end]
      .map((event, index) => ({ ...event, position: index + 1 }))
      .map((event) =>
        event.id === end.id ? { ...event, recordedAt: lastAt(events) + HOUR_MS } : event,
      ) as StoredEvent[]
    const busy = Array.from({ length: 100 }, (_, minute) => ({
      ...(events[0] as StoredEvent),
      stream: `organization-${minute}`,
      recordedAt: lastAt(events) + minute * 9000,
      position: minute + 0.001,
    }))
    expect(await saidOf('1', [...busy, ...late])).to.match(/^JobCompleted: it ends \d+ ms after its deadline$/)
  })

  it('2: by a statement that is not the sum of the ledger, or by credits that nobody had', async () => {
    const events = historyWith(is('CreditsSettled'))
    const { stream } = events.find(is('CreditsSettled')) as StoredEvent
    const last = events.findLast((event) => event.stream === stream)
    const right = statementOf(events.filter((event) => event.stream === stream))
    expect(await saidOf('2', adding(events, last, { type: 'CreditsStated', data: right }))).to.equal('holds')
    const wrong = { ...right, balance: right.balance + 1 }
    expect(await saidOf('2', adding(events, last, { type: 'CreditsStated', data: wrong }))).to.match(
      /^CreditsStated: balance \d+ is stated, and it is \d+$/,
    )
    expect(await saidOf('2', replacing(events, is('CreditsGranted'), withData({ credits: 0 })))).to.contain(
      'the balance is -',
    )
  })

  it('3: by a failed job that is charged, a charge that is not what the job cost, and a job that nobody paid', async () => {
    const events = historyWith(
      is('JobFailed', ({ code }) => code !== 'not_accepted'),
      is('JobCompleted'),
    )
    const failed = is('CreditsSettled', ({ reason, refunded }) => reason !== 'completed' && refunded > 0)
    const completed = is('CreditsSettled', ({ reason }) => reason === 'completed')
    const unpaid = renumbered(events.filter(({ type }) => type !== 'CreditsDebited' && type !== 'CreditsSettled'))
    for (const [broken, said] of [
      [replacing(events, failed, withData({ charged: 1 })), '1 credits are charged for JobFailed, and the job costs 0'],
      [replacing(events, completed, withData({ charged: 0 })), '0 credits are charged for JobCompleted'],
      [replacing(events, completed, withData({ reason: 'timeout' })), 'it names timeout'],
      [unpaid, 'JobRequested: the job was never debited'],
    ] as const)
      expect(await saidOf('3', broken)).to.contain(said)
  })

  it('4 and 13: by a debit of a key that was revoked, had expired, may not, or had no credits left', async () => {
    const events = historyWith(is('CreditsDebited', ({ keyId }) => keyId !== null))
    const debit = events.find(is('CreditsDebited')) as EventOf<'CreditsDebited'>
    const isKey = (event: StoredEvent) => event.stream === `key-${debit.data.keyId}`
    const { orgId } = debit.metadata
    const earlier = (type: EventType, data: object) =>
      adding(events, events.find(isKey), { type, data, recordedAt: debit.recordedAt - 500_000 })
    expect(await saidOf('4', earlier('KeyRevoked', { orgId }))).to.match(
      /^CreditsDebited: .* was revoked \d+ ms before$/,
    )
    expect(
      await saidOf(
        '4',
        events.filter((event) => !isKey(event)),
      ),
    ).to.contain('which was never made')
    const limited = (more: object) => saidOf('13', replacing(events, isKey, withData(more)))
    expect(await limited({ expiresAt: debit.recordedAt - 500_000 })).to.contain('its key had expired')
    expect(await limited({ scopes: ['read'] })).to.contain('may not ask for jobs')
    expect(await limited({ monthlyCredits: 0 })).to.match(/its key has taken \d+ of 0 credits/)
    expect(await limited({ scopes: null })).to.equal('holds')
    const changed = (more: object) =>
      earlier('KeyChanged', { orgId, name: 'a key', monthlyCredits: null, expiresAt: null, ...more })
    expect(await saidOf('4', changed({})), 'changed, not revoked').to.equal('holds')
    expect(await saidOf('13', changed({ monthlyCredits: 0 }))).to.match(/its key has taken \d+ of 0 credits/)
    expect(await saidOf('13', changed({ expiresAt: debit.recordedAt - 400_000 }))).to.contain('its key had expired')
    expect(await saidOf('13', changed({}))).to.equal('holds')
  })

  it('6: by an event of another organization', async () => {
    const events = historyWith(is('VideoFetched'))
    const other = (event: StoredEvent) => ({ metadata: { ...event.metadata, orgId: 'somebody else' } })
    for (const type of ['VideoFetched', 'CreditsGranted'] as const)
      expect(await saidOf('6', replacing(events, is(type), other))).to.contain(
        `${type}: it is an event of somebody else`,
      )
    expect(await saidOf('6', replacing(events, is('JobRequested'), withData({ orgId: 'another' })))).to.contain(
      'that names another',
    )
  })

  it('7: by a result that stands there twice, and by one of a worker whose claim was lost', async () => {
    const events = historyWith(is('VideoFetched'))
    const fetched = events.find(is('VideoFetched'))
    expect(await saidOf('7', adding(events, fetched, {}))).to.contain('the video was fetched already')
    const byOther = ({ metadata }: StoredEvent) => ({ metadata: { ...metadata, causationId: 'job/3/fetch/7' } })
    expect(await saidOf('7', replacing(events, is('VideoFetched'), byOther))).to.contain(
      'it is written by fetch/7, and fetch/',
    )
    const isStart = (event: StoredEvent) => event.type === 'StepStarted' && event.stream === fetched?.stream
    expect(await saidOf('7', replacing(events, isStart, withData({ attempt: 2 })))).to.contain(
      'is started as attempt 2, after 0',
    )
  })

  it('9: by a job that timed out before its deadline, or failed for credits or leases that it had', async () => {
    const events = historyWith(is('JobFailed', ({ code }) => code === 'video_unavailable'))
    const failing = (code: string, more: object = {}) =>
      saidOf(
        '9',
        replacing(
          events,
          is('JobFailed', (data) => data.code === 'video_unavailable'),
          (event) => ({
            data: { ...event.data, code },
            metadata: { ...event.metadata, ...more },
            recordedAt: event.recordedAt - 30_000,
          }),
        ),
      )
    expect(await failing('timeout')).to.match(/it timed out \d+ ms before its deadline/)
    expect(await failing('upstream_error')).to.equal('holds')
    expect(await saidOf('9', refusedForCredits(events))).to.match(/the job had \d+ credits for what it asked for/)
  })

  it('12: by a cancellation that nobody has asked for', async () => {
    const events = historyWith(is('JobFailed', ({ code }) => code === 'cancelled'))
    const cancelled = is('JobFailed', ({ code }) => code === 'cancelled')
    const byItself = ({ metadata }: StoredEvent) => ({ metadata: { ...metadata, causationId: 'orchestrator/job/3' } })
    expect(await saidOf('12', events)).to.equal('holds')
    expect(await saidOf('12', replacing(events, cancelled, byItself))).to.contain(
      'it was cancelled by orchestrator/job/3',
    )
  })
})

/** A job that is refused for lack of credits although it was paid in full. */
const refusedForCredits = (events: readonly StoredEvent[]): StoredEvent[] =>
  replacing(
    events,
    is('JobFailed', ({ code }) => code === 'video_unavailable'),
    withData({ code: 'insufficient_credits' }),
  )

/** The statement after these events of a ledger. */
function statementOf(events: readonly StoredEvent[]): EventOf<'CreditsStated'>['data'] {
  return statement(fold(credits, events)).data as EventOf<'CreditsStated'>['data']
}

describe('the requests of an organization', () => {
  it('are told once in an hour at most', async () => {
    const events = madeHistory(1)
    const last = events.at(-1)
    const told = (hour: string, revision: number) => ({
      ...last,
      type: 'RequestsCounted',
      stream: `requests-${last?.metadata.orgId}`,
      position: (last?.position ?? 0) + revision + 1,
      revision,
      data: { hour, reads: { '/v1/metadata': 1 }, refused: {} },
    })
    const twice = (...hours: string[]) => [...events, ...hours.map(told)] as StoredEvent[]
    const said = async (...hours: string[]) => {
      const { outcomes } = await checked(twice(...hours))
      return outcomes.find(({ promise }) => promise.startsWith('the requests'))?.broken
    }
    expect(await said('2026-01-15T12', '2026-01-15T13')).to.equal(0)
    expect(await said('2026-01-15T12', '2026-01-15T12')).to.equal(1)
  })
})

describe('a history of which a part is not read', () => {
  it('holds from any position on', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const events = madeHistory(seed)
      for (let index = 0; index < events.length; index += 7) {
        const found = await checked(events, { from: { position: events[index]?.position ?? 0 } })
        expect(brokenIn(found), `seed ${seed} from event ${index}`).to.deep.equal([])
      }
    }
  })

  it('holds where ledgers begin with a statement, and jobs are gone that are named as removed', async () => {
    let unstated = 0
    for (let seed = 1; seed <= 30; seed++) {
      const { events, statement } = cut(madeHistory(seed))
      expect(brokenIn(await checked(events)), `seed ${seed}`).to.deep.equal([])
      const begun = events.filter((event) => event !== statement)
      if (!begun.some(({ stream }) => stream === statement.stream)) continue
      unstated++
      expect(brokenIn(await checked(begun)), `seed ${seed}`).to.include.members([
        'positions grow; revisions have no gaps and come in order; times do not go back',
      ])
    }
    expect(unstated).to.be.above(10)
  })

  it('holds where a stream is removed while it is read', async () => {
    const [first, ...others] = madeHistory(3).filter(({ stream }) => stream.startsWith('job-'))
    const rest = others.filter(({ stream }) => stream === first?.stream)
    const followed = /revisions have no gaps/
    expect(brokenIn(await checked(rest)).join()).to.match(followed)
    expect(brokenIn(await checked(rest, { isRemoved: async () => true })).join()).to.not.match(followed)
  })

  it('is broken by a removed stream that is still there, once there was time to remove it', async () => {
    const { events } = cut(madeHistory(3))
    const removed = events.find(is('StreamsRemoved')) as EventOf<'StreamsRemoved'>
    const [name = ''] = removed.data.streams
    const back = madeHistory(3).filter(({ stream }) => stream === name)
    const all = [...events, ...back].sort((one, other) => one.position - other.position)
    const { outcomes } = await checked(all)
    const { first } = outcomes.find(({ promise }) => promise.includes('are gone')) ?? {}
    expect(first).to.include({ type: 'StreamsRemoved', what: `it names ${name}, which is still there` })
    const soon = await checked(all, { workingAt: removed.recordedAt + 1000 })
    expect(brokenIn(soon)).to.deep.equal([])
    expect(brokenIn(await checked(all, { keepsOld: true })), 'an archive keeps what is old').to.deep.equal([])
  })
})

/**
 * A history after retention: a ledger begins with a statement, and the jobs that were settled before it are removed.
 */
function cut(events: readonly StoredEvent[]): { events: StoredEvent[]; statement: StoredEvent } {
  const settled = events.filter(is('CreditsSettled'))
  const at = settled[Math.floor(settled.length / 2)] as StoredEvent
  const ledger = events.filter(({ stream, position }) => stream === at.stream && position <= at.position)
  const data = statementOf(ledger)
  const stated = adding(events, at, { type: 'CreditsStated', data, id: eventId(at.stream, 'CreditsStated', data) })
  const statement = stated.find(is('CreditsStated')) as StoredEvent
  const gone = settled.filter(({ stream, position }) => stream === at.stream && position <= at.position)
  const [first, ...others] = gone.map(({ data }) => `job-${data.jobId}`)
  const removed = { reason: 'retention', streams: [first, ...others] }
  const last = stated.at(-1) as StoredEvent
  const removal = {
    ...last,
    type: 'StreamsRemoved',
    stream: 'removal-1',
    revision: 0,
    position: last.position + 1,
    metadata: at.metadata,
    id: eventId('removal-1', `StreamsRemoved/${first}`, removed),
    data: removed,
  } as StoredEvent
  const names = new Set([first, ...others])
  const left = stated.filter(
    ({ stream, position }) => !names.has(stream) && (stream !== at.stream || position > at.position),
  )
  return { events: [...left, removal], statement }
}
