import { orZero } from '#ops/prometheus/query.ts'
import { failures } from '#packages/domain/job/failure.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { choiceOf, dashboard } from './dashboard.ts'
import { by, graph, legendOf, of, stat } from './panels.ts'

const chosen = { [names.platform]: { like: '$platform' } }
const refused = { ...chosen, [names.outcome]: 'platform_blocked' }

/** Outcomes of a read that show that the platform answers, even if the video is private or removed. */
const answers = ['ok', ...Object.entries(failures).flatMap(([code, each]) => (each.isPlatformAnswer ? [code] : []))]

function answered(by: string[]): string {
  const all = of.rate(metrics.readDuration, { by, where: chosen })
  const some = of.rate(metrics.readDuration, { by, where: { ...chosen, [names.outcome]: answers } })
  return `(${some} or ${all} * 0) / (${all} > 0)`
}

/** Whether platforms answer, through which exit, and how fast. */
export const platforms = dashboard({
  name: 'platforms',
  title: 'Platforms',
  about: 'Whether platforms answer, through which exits, and how fast.',
  variables: [choiceOf('platform', 'Platform', metrics.readDuration, names.platform)],
  rows: [
    {
      title: 'Do they answer',
      panels: [
        graph({
          title: 'Reads that are answered, by platform',
          about: 'Share of all reads. That a video is private or removed is an answer.',
          unit: 'percentunit',
          width: 8,
          lines: [by([names.platform], answered)],
        }),
        graph({
          title: 'Reads that are answered, by operation',
          about:
            'One operation alone is down: the platform has changed there. `npm run platforms -- check` says where.',
          unit: 'percentunit',
          width: 8,
          lines: [by([names.platform, names.operation], answered)],
        }),
        graph({
          title: 'Reads that are answered, by exit',
          about: 'One way out alone is down: the platform refuses its addresses.',
          unit: 'percentunit',
          width: 8,
          lines: [by([names.platform, names.egressRoute], answered)],
        }),
        graph({
          title: 'Reads that are answered, by way',
          about:
            'Of videos. `innertube`: YouTube without yt-dlp, which serves metadata and captions where yt-dlp is refused.',
          unit: 'percentunit',
          width: 24,
          lines: [by([names.platform, names.way], answered)],
        }),
        graph({
          title: 'Reads by outcome',
          about: '`platform_blocked`: refused. `upstream_error`: not understood, or an error of theirs.',
          unit: 'ops',
          width: 24,
          lines: [by([names.platform, names.outcome], (by) => of.rate(metrics.readDuration, { by, where: chosen }))],
        }),
      ],
    },
    {
      title: 'Who refuses us',
      panels: [
        stat({
          title: 'Breakers that are not closed',
          about:
            'Of all processes: one for each exit that a platform refuses. /ready names the addresses and since when.',
          unit: 'short',
          warn: 1,
          lines: [by([names.platform], (by) => orZero(of.sum(metrics.breakers, { by, where: chosen })))],
        }),
        graph({
          title: 'Breakers',
          about: '`open`: the platform is not asked at this exit. `half-open`: it is tried again.',
          unit: 'short',
          width: 6,
          lines: [
            by([names.platform, names.breakerState], (by) => orZero(of.sum(metrics.breakers, { by, where: chosen }))),
          ],
        }),
        graph({
          title: 'Reads that are refused',
          about: 'By platform and way out.',
          unit: 'ops',
          width: 6,
          lines: [
            by([names.platform, names.egressRoute], (by) =>
              orZero(of.rate(metrics.readDuration, { by, where: refused })),
            ),
          ],
        }),
        graph({
          title: 'Accounts that rest',
          about: 'Asked twice to sign in: spared for an hour. Renew its cookies (ops/configuration.md).',
          unit: 'short',
          width: 6,
          lines: [by([names.platform], (by) => orZero(of.max(metrics.accountsResting, { by, where: chosen })))],
        }),
        graph({
          title: 'Warnings of yt-dlp',
          about:
            '`captions_withheld`: set YOUTUBE_POT_URL. `unknown`: the log has it; look for a newer release. `setup`, `account`: the log says what to mend.',
          unit: 'ops',
          width: 24,
          lines: [by([names.platform, names.meaning], (by) => of.rate(metrics.readerWarnings, { by, where: chosen }))],
        }),
      ],
    },
    {
      title: 'Their pace',
      panels: [
        graph({
          title: 'Reads that wait for their turn',
          about: 'Of all processes. More exit addresses, one with {session}, or a greater PACE_… shorten the line.',
          unit: 'short',
          width: 12,
          lines: [by([names.platform], (by) => orZero(of.sum(metrics.paceWaiting, { by, where: chosen })))],
        }),
        graph({
          title: 'Put off, and jobs refused',
          about: 'Reads that were answered 503 or given back by their job; jobs that were refused at the door.',
          unit: 'ops',
          width: 12,
          lines: [
            by([names.platform], (by) => orZero(of.rate(metrics.paceRefused, { by, where: chosen }))),
            [
              orZero(of.rate(metrics.paceJobsRefused, { by: [names.platform], where: chosen })),
              `jobs, ${legendOf(names.platform)}`,
            ],
          ],
        }),
      ],
    },
    {
      title: 'How fast',
      panels: [
        graph({
          title: 'Time of a read, 95 of 100',
          about: 'Site and yt-dlp together, by operation.',
          unit: 's',
          lines: [
            by([names.platform, names.operation], (by) =>
              of.quantile(0.95, metrics.readDuration, { by, where: chosen }),
            ),
          ],
        }),
        graph({
          title: 'Time of a task of a worker process, 95 of 100',
          about: 'yt-dlp by itself, of all platforms. Where it alone grows, look at its workers, not at the site.',
          unit: 's',
          lines: [by([names.pool], (by) => of.quantile(0.95, metrics.workerDuration, { by }))],
        }),
        graph({
          title: 'Worker processes',
          about: 'That exist now. At YTDLP_WORKERS all the time: reads wait for a worker.',
          unit: 'short',
          width: 8,
          lines: [by([names.pool], (by) => of.sum(metrics.workersInUse, { by }))],
        }),
        graph({
          title: 'Workers that failed',
          about: 'Died, hung or wrote garbage, and were replaced.',
          unit: 'ops',
          width: 8,
          lines: [by([names.pool], (by) => orZero(of.rate(metrics.workersKilled, { by })))],
        }),
        graph({
          title: 'Cache hits',
          about: 'Share of the lookups of each cache. What is kept is not asked for again.',
          unit: 'percentunit',
          width: 8,
          lines: [
            [
              `${of.rate(metrics.cacheLookups, { by: [names.cache], where: { [names.isHit]: 'true' } })} / ${of.rate(metrics.cacheLookups, { by: [names.cache] })}`,
              legendOf(names.cache),
            ],
          ],
        }),
      ],
    },
  ],
})
