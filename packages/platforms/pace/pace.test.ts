import { expect } from 'chai'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { RATE_WINDOW_SECONDS, type RateCounters } from '#packages/ports/rate-counters.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { Pace } from './pace.ts'

const PER_MINUTE = 4
const direct = { address: 'direct', hasSession: false }

describe('the pace of reads', () => {
  let clock: ManualClock
  let telemetry: RecordingTelemetry
  let pace: Pace
  /** The owners of the reads that have begun, in order. */
  let begun: string[]
  beforeEach(() => {
    clock = new ManualClock()
    telemetry = new RecordingTelemetry()
    begun = []
    const readsPerMinute = { youtube: PER_MINUTE, tiktok: PER_MINUTE, instagram: 1, x: 0, facebook: 1 }
    pace = new Pace({ clock, telemetry, counters: countersBy(clock), readsPerMinute })
  })

  type Asked = {
    isOptional?: boolean
    of?: string
    owner: string
    comesBackUntil?: number
    exit?: typeof direct
    signal?: AbortSignal
  }
  const read = ({
    of: organization = 'a',
    owner,
    comesBackUntil = 0,
    exit = direct,
    signal = never,
    isOptional = false,
  }: Asked) =>
    pace
      .run('tiktok', exit, { owner, organization, comesBackUntil, refusals: 0, isOptional, signal }, async () =>
        begun.push(owner),
      )
      .then(
        () => 'read',
        (error: unknown) => (error instanceof PaceError ? error.retryAfterSeconds : String(error)),
      )
  const never = new AbortController().signal
  const many = (count: number, of = 'a', comesBackUntil = 0) =>
    Array.from({ length: count }, (_, n) => read({ of, owner: `${of}${n}`, comesBackUntil }))

  it('lets a fixed number begin in a minute, and says when another may', async () => {
    expect(await Promise.all(many(PER_MINUTE))).to.deep.equal(Array(PER_MINUTE).fill('read'))
    await clock.advance(20_000)
    expect(await read({ owner: 'late' })).to.equal(40)
    await clock.advance(40_000)
    expect(await Promise.all(many(PER_MINUTE + 1))).to.deep.equal([...Array(PER_MINUTE).fill('read'), 60])
    expect(telemetry.values.filter(({ name }) => name === metrics.paceRefused.name)).to.have.length(2)
  })

  it('leaves half of each minute to others if a read is optional; such a read never waits', async () => {
    const optional = () => Promise.all([1, 2, 3].map((n) => read({ owner: `o${n}`, isOptional: true })))
    expect(await optional()).to.deep.equal(['read', 'read', 60])
    await clock.advance(58_000)
    expect(await read({ owner: 'again', isOptional: true })).to.equal(2)
    expect(await Promise.all(many(2))).to.deep.equal(['read', 'read'])
  })

  it('keeps a read waiting for at most five seconds, and reports that it waits', async () => {
    await Promise.all(many(PER_MINUTE))
    await clock.advance(55_000)
    const waits: boolean[] = []
    const waiting = pace.run(
      'tiktok',
      direct,
      { owner: 'w', refusals: 0, onWait: (one) => waits.push(one), signal: never },
      async () => clock.now(),
    )
    await settle()
    expect([waits, pace.waiting('tiktok')]).to.deep.equal([[true], 1])
    const before = clock.now()
    await clock.advance(5_000)
    expect((await waiting) - before).to.equal(5_000)
    expect([waits, pace.waiting('tiktok')]).to.deep.equal([[true, false], 0])
  })

  it('lets organizations take turns: another one’s only job comes next, however many the first has', async () => {
    await Promise.all(many(PER_MINUTE, 'z'))
    await Promise.all(many(20, 'a', Number.POSITIVE_INFINITY))
    await Promise.all(many(2, 'b', Number.POSITIVE_INFINITY))
    expect([pace.waitSeconds('tiktok', direct, 'a'), pace.waitSeconds('tiktok', direct, 'c')]).to.deep.equal([360, 60])
    await clock.advance(60_000)
    begun = []
    await Promise.all([...many(20, 'a', Number.POSITIVE_INFINITY), ...many(2, 'b', Number.POSITIVE_INFINITY)])
    expect(begun).to.deep.equal(['a0', 'a1', 'b0', 'b1'])
  })

  it('gives up the place of a job that does not return within ten seconds of its turn', async () => {
    await Promise.all(many(PER_MINUTE, 'z'))
    await Promise.all(many(PER_MINUTE, 'gone', Number.POSITIVE_INFINITY))
    await clock.advance(60_000)
    expect(await read({ owner: 'a' })).to.equal('read')
    expect(await read({ owner: 'b' })).to.equal('read')
    expect(pace.waiting('tiktok')).to.equal(PER_MINUTE)
    await clock.advance(10_000)
    expect(pace.waiting('tiktok')).to.equal(0)
    expect(await Promise.all([read({ owner: 'c' }), read({ owner: 'd' })])).to.deep.equal(['read', 'read'])
  })

  it('keeps no place for a caller that was refused or left, or for a job that ends before its turn', async () => {
    await Promise.all(many(PER_MINUTE))
    await read({ owner: 'refused' })
    await read({ owner: 'ends', comesBackUntil: clock.now() + 59_000 })
    await clock.advance(58_000)
    const leaves = new AbortController()
    const left = read({ owner: 'leaves', signal: leaves.signal })
    await settle()
    leaves.abort(new Error('gone'))
    expect([await left, pace.waiting('tiktok')]).to.deep.equal(['Error: gone', 0])
  })

  it('recovers after its counter failed: only the read that asked fails', async () => {
    let isBroken = true
    const counter = countersBy(clock)('pace')
    const failing: RateCounters = () => ({
      ...counter,
      count: (key, most) => (isBroken ? Promise.reject(new Error('not reached')) : counter.count(key, most)),
    })
    const readsPerMinute = { youtube: 0, tiktok: PER_MINUTE, instagram: 0, x: 0, facebook: 0 }
    pace = new Pace({ clock, telemetry, counters: failing, readsPerMinute })
    expect(await read({ owner: 'a' })).to.equal('Error: not reached')
    isBroken = false
    expect(await Promise.all(many(PER_MINUTE))).to.deep.equal(Array(PER_MINUTE).fill('read'))
  })

  it('is one per exit; none if every job has its own exit, or the platform has no pace', async () => {
    await Promise.all(many(PER_MINUTE))
    expect(await read({ owner: 'other exit', exit: { address: 'proxy:1', hasSession: false } })).to.equal('read')
    const session = { address: 'proxy:1#s', hasSession: true }
    for (let n = 0; n < 10; n++) expect(await read({ owner: `${n}`, exit: session })).to.equal('read')
    const reading = { owner: 'x', refusals: 0, signal: never }
    for (let n = 0; n < 10; n++) expect(await pace.run('x', direct, reading, async () => 'read')).to.equal('read')
    expect([pace.waitSeconds('tiktok', session, 'a'), pace.waitSeconds('x', direct, 'a')]).to.deep.equal([0, 0])
  })
})

/** Counters as the port guarantees them, on the clock of the test. */
const countersBy =
  (clock: ManualClock): RateCounters =>
  () => {
    const windows = new Map<string, { counted: number; endsAt: number }>()
    return {
      async count(key) {
        const known = windows.get(key)
        const endsAt =
          known !== undefined && known.endsAt > clock.now() ? known.endsAt : clock.now() + RATE_WINDOW_SECONDS * 1000
        const counted = (known?.endsAt === endsAt ? known.counted : 0) + 1
        windows.set(key, { counted, endsAt })
        return { counted, endsInMs: endsAt - clock.now() }
      },
      giveBack: async () => {},
    }
  }
