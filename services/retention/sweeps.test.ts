import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { sweepHourly } from './sweeps.ts'

const HOUR_MS = 60 * 60 * 1000
const START = Date.UTC(2026, 0, 31)
/** Collects the lines of a log. */
const told = (lines: readonly string[]): Record<string, unknown>[] => lines.map((line) => JSON.parse(line))
const swept = { exported: 3, jobs: 2, events: 9, ledgers: 1, removals: 0, unsettled: 0, differing: [] as string[] }

describe('sweeps', () => {
  it('run at the start and once an hour, for jobs older than the retention period', async () => {
    const clock = new ManualClock(START)
    const { log, lines } = keptLog()
    const cutoffs: number[] = []
    const sweep = async (cutoff: number) => {
      cutoffs.push(cutoff)
      return swept
    }
    await using _sweeps = sweepHourly(
      { clock, log, sweep, telemetry: noTelemetry },
      { retentionDays: 30, needsScavenge: true },
    )
    await clock.advance(2 * HOUR_MS)
    const first = Date.UTC(2026, 0, 1)
    expect(cutoffs).to.deep.equal([first, first + HOUR_MS, first + 2 * HOUR_MS])
    expect(told(lines)[0]).to.include({ jobs: 2, ledgers: 1, exported: 3, seconds: 0 })
    expect(told(lines)[1]?.msg).to.include('scavenged')
  })

  it('continue after a failed one, and report what remains', async () => {
    const clock = new ManualClock(START)
    const { log, lines } = keptLog()
    const results = [
      () => Promise.reject(new Error('the disk is full')),
      () => Promise.reject(Object.assign(new Error('busy'), { code: 'archive_in_use' })),
      async () => ({ ...swept, differing: ['job-1'] }),
    ]
    const sweep = () => results.shift()?.() ?? Promise.resolve(swept)
    const telemetry = new RecordingTelemetry()
    await using _sweeps = sweepHourly({ clock, log, sweep, telemetry }, { retentionDays: 30, needsScavenge: false })
    await clock.advance(HOUR_MS)
    const age = () => [...(telemetry.gauges.get(metrics.sweepAge.name)?.() ?? [])].map(({ value }) => value)
    expect(age()).to.deep.equal([3600])
    await clock.advance(HOUR_MS)
    expect(age()).to.deep.equal([0])
    expect(told(lines).map(({ level, alarm }) => [level, alarm])).to.deep.equal([
      [50, 'retention_failed'],
      [30, undefined],
      [30, undefined],
      [50, 'archive_differs'],
    ])
  })

  it('end at once when they are disposed of, even while one is running', async () => {
    const clock = new ManualClock(START)
    const { log, lines } = keptLog()
    const sweep = (_: number, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await sweepHourly({ clock, log, sweep, telemetry: noTelemetry }, { retentionDays: 30, needsScavenge: false })[
      Symbol.asyncDispose
    ]()
    expect(lines).to.deep.equal([])
  })
})
