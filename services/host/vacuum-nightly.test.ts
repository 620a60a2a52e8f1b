import { expect } from 'chai'
import type { VacuumOutcome } from '#packages/adapters/sqlite/vacuum.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { vacuumNightly } from './vacuum-nightly.ts'

const HOUR_MS = 60 * 60 * 1000

describe('files are vacuumed', () => {
  it('at 04:00 UTC, one after another, also after one that failed', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 31, 3, 59, 59))
    const { log, lines } = keptLog()
    const done: string[] = []
    const outcomes = new Map<string, () => Promise<VacuumOutcome>>([
      ['events', () => Promise.reject(new Error('no process'))],
      ['views', async () => ({ kind: 'left', why: 'it is too large' })],
      ['accounts', async () => ({ kind: 'not-needed' })],
      ['more', async () => ({ kind: 'vacuumed', bytesBefore: 9, bytesAfter: 5, seconds: 1 })],
    ])
    const vacuum = (path: string, maxBytes: number) => {
      done.push(`${path} ${new Date(clock.now()).toISOString()} ${maxBytes}`)
      return outcomes.get(path)?.() as Promise<VacuumOutcome>
    }
    await using _nights = vacuumNightly({ clock, log, vacuum }, [...outcomes.keys()])
    await clock.advance(999)
    expect(done).to.deep.equal([])
    await clock.advance(1)
    const night = [...outcomes.keys()].map((path) => `${path} 2026-01-31T04:00:00.000Z 1000000000`)
    expect(done).to.deep.equal(night)
    const told = lines.map((line) => JSON.parse(line))
    expect(told.map(({ level, file, why }) => [level, file, why])).to.deep.equal([
      [40, 'events', 'no process'],
      [40, 'views', 'it is too large'],
      [30, 'more', undefined],
    ])
    await clock.advance(23 * HOUR_MS)
    expect(done).to.have.length(4)
    await clock.advance(HOUR_MS)
    expect(done).to.have.length(8)
  })

  it('never again once it is disposed of, even while one is in progress', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 31, 4))
    const { log, lines } = keptLog()
    let begun = 0
    const vacuum = (_path: string, _bytes: number, signal: AbortSignal) => {
      begun++
      return new Promise<VacuumOutcome>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const nights = vacuumNightly({ clock, log, vacuum }, ['events', 'views'])
    await clock.advance(24 * HOUR_MS)
    await nights[Symbol.asyncDispose]()
    expect([begun, lines]).to.deep.equal([1, []])
  })

  it('nowhere if there are none, and it still ends', async () => {
    const { log } = keptLog()
    const vacuum = () => Promise.reject(new Error('there is no file'))
    const nights = vacuumNightly({ clock: new ManualClock(0), log, vacuum }, [])
    await nights[Symbol.asyncDispose]()
  })
})
