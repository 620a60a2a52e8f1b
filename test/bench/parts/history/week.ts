import { shiftedClock } from '#test/doubles/service/shifted-clock.ts'
import { Child } from '../../kit/child.ts'
import { figure, megabytes, milliseconds, times } from '../../kit/figures.ts'
import { median } from '../../kit/percentiles.ts'
import type { Bench, Growth, Row } from '../../part.ts'
import type { Day, DayFacts } from '../../service/day-process.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DAYS = 7
const JOBS_A_DAY = 5000
/** A day's jobs come within a few seconds. When a day has passed, those of the day before yesterday are this old. */
const KEPT_MS = 1.5 * DAY_MS
const GROWS_AT_MOST = 1.1

/** The sizes of a store that goes through a week in a few minutes, and keeps jobs for a day. */
export async function weekWithRetention(bench: Bench): Promise<{ rows: Row[]; growth: Growth[] }> {
  const dataDir = await bench.folder('week')
  const jobs = JOBS_A_DAY * bench.scale
  const days: DayFacts[] = []
  for (let day = 1; day <= DAYS; day++) {
    const env = shiftedClock((day - DAYS) * DAY_MS)
    await using child = new Child(new URL('../../service/day-process.ts', import.meta.url), { ...bench, env })
    const order = { dataDir, customers: days[0]?.customers ?? [], jobs, keepMs: KEPT_MS } satisfies Day
    days.push(await child.call<DayFacts>('live', order))
  }
  const [second = 0, last = 0] = [days[1]?.bytes, days.at(-1)?.bytes]
  const removals = days.filter(({ swept }) => swept.jobs > 0)
  const msOf = (seconds: number, count: number): number => (seconds * 1000) / count
  const removal = median(removals.map(({ swept }) => msOf(swept.removeSeconds, swept.jobs)))
  const append = median(days.map(({ appendSeconds }) => msOf(appendSeconds, jobs)))
  return {
    rows: [
      {
        what: `the event file after a week of ${figure(jobs)} jobs a day, which retention takes out after a day`,
        measured: megabytes(last),
        against: `after two days: ${megabytes(second)}; the archive of the week: ${megabytes(days.at(-1)?.archived ?? 0)}`,
        ratio: times(last / second),
        wanted: `≤ ${GROWS_AT_MOST} ×`,
        met: last <= second * GROWS_AT_MOST,
        why: 'The name of a removed stream stays, so that no late append begins it again: 117 bytes for each job.',
      },
      {
        what: 'taking a job out by retention, with the event of the removal',
        measured: milliseconds(removal),
        against: `appending it and its credits: ${milliseconds(append)}`,
        ratio: times(removal / append),
      },
      {
        what: 'a daily sweep as a whole: export of a day, checks of the archive, removal of a day',
        measured: `${figure(median(removals.map(({ swept }) => swept.seconds)))} s`,
      },
    ],
    growth: [
      {
        what: 'the event file, with retention of a day',
        unit: ' MB',
        grows: 'days',
        values: days.map(({ bytes }, index) => ({ size: index + 1, value: bytes / 1e6 })),
      },
    ],
  }
}
