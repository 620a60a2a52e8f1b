import { orZero } from '#ops/prometheus/query.ts'
import { failures } from '#packages/domain/job/failure.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { choiceOf, dashboard } from './dashboard.ts'
import { graph, legendOf, of, stat } from './panels.ts'

const chosen = { [names.platform]: { like: '$platform' } }
const refused = { ...chosen, [names.outcome]: 'platform_blocked' }

/** Outcomes of a read that show that the platform answers, even if the video is private or removed. */
const answers = ['ok', ...Object.entries(failures).flatMap(([code, each]) => (each.isPlatformAnswer ? [code] : []))]

function answered(by: string[]): string {
  const all = of.rateOf(metrics.readDuration, { by, where: chosen })
  const some = of.rateOf(metrics.readDuration, { by, where: { ...chosen, [names.outcome]: answers } })
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
          lines: [[answered([names.platform]), legendOf(names.platform)]],
        }),
        graph({
          title: 'Reads that are answered, by operation',
          about:
            'One operation alone is down: the platform has changed there. `npm run platforms -- check` says where.',
          unit: 'percentunit',
          width: 8,
          lines: [[answered([names.platform, names.operation]), legendOf(names.platform, names.operation)]],
        }),
        graph({
          title: 'Reads that are answered, by exit',
          about: 'One way out alone is down: the platform refuses its addresses.',
          unit: 'percentunit',
          width: 8,
          lines: [[answered([names.platform, names.egressRoute]), legendOf(names.platform, names.egressRoute)]],
        }),
        graph({
          title: 'Reads that are answered, by way',
          about:
            'Of videos. `innertube`: YouTube without yt-dlp, which serves metadata and captions where yt-dlp is refused.',
          unit: 'percentunit',
          width: 24,
          lines: [[answered([names.platform, names.way]), legendOf(names.platform, names.way)]],
        }),
        graph({
          title: 'Reads by outcome',
          about: '`platform_blocked`: refused. `upstream_error`: not understood, or an error of theirs.',
          unit: 'ops',
          width: 24,
          lines: [
            [
              of.rateOf(metrics.readDuration, { by: [names.platform, names.outcome], where: chosen }),
              legendOf(names.platform, names.outcome),
            ],
          ],
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
          lines: [
            [orZero(of.sum(metrics.breakers, { by: [names.platform], where: chosen })), legendOf(names.platform)],
          ],
        }),
        graph({
          title: 'Breakers',
          about: '`open`: the platform is not asked at this exit. `half-open`: it is tried again.',
          unit: 'short',
          width: 6,
          lines: [
            [
              orZero(of.sum(metrics.breakers, { by: [names.platform, names.breakerState], where: chosen })),
              legendOf(names.platform, names.breakerState),
            ],
          ],
        }),
        graph({
          title: 'Reads that are refused',
          about: 'By platform and way out.',
          unit: 'ops',
          width: 6,
          lines: [
            [
              orZero(of.rateOf(metrics.readDuration, { by: [names.platform, names.egressRoute], where: refused })),
              legendOf(names.platform, names.egressRoute),
            ],
          ],
        }),
        graph({
          title: 'Accounts that rest',
          about: 'Asked twice to sign in: spared for an hour. Renew its cookies (ops/configuration.md).',
          unit: 'short',
          width: 6,
          lines: [
            [
              orZero(of.max(metrics.accountsResting, { by: [names.platform], where: chosen })),
              legendOf(names.platform),
            ],
          ],
        }),
        graph({
          title: 'Warnings of yt-dlp',
          about:
            '`captions_withheld`: set YOUTUBE_POT_URL. `unknown`: the log has it; look for a newer release. `setup`, `account`: the log says what to mend.',
          unit: 'ops',
          width: 24,
          lines: [
            [
              of.rate(metrics.readerWarnings, { by: [names.platform, names.meaning], where: chosen }),
              legendOf(names.platform, names.meaning),
            ],
          ],
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
          lines: [
            [orZero(of.sum(metrics.paceWaiting, { by: [names.platform], where: chosen })), legendOf(names.platform)],
          ],
        }),
        graph({
          title: 'Put off, and jobs refused',
          about: 'Reads that were answered 503 or given back by their job; jobs that were refused at the door.',
          unit: 'ops',
          width: 12,
          lines: [
            [orZero(of.rate(metrics.paceRefused, { by: [names.platform], where: chosen })), legendOf(names.platform)],
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
            [
              of.quantile(0.95, metrics.readDuration, { by: [names.platform, names.operation], where: chosen }),
              legendOf(names.platform, names.operation),
            ],
          ],
        }),
        graph({
          title: 'Time of a task of a worker process, 95 of 100',
          about: 'yt-dlp by itself, of all platforms. Where it alone grows, look at its workers, not at the site.',
          unit: 's',
          lines: [[of.quantile(0.95, metrics.workerDuration, { by: [names.pool] }), legendOf(names.pool)]],
        }),
        graph({
          title: 'Worker processes',
          about: 'That exist now. At YTDLP_WORKERS all the time: reads wait for a worker.',
          unit: 'short',
          width: 8,
          lines: [[of.sum(metrics.workersInUse, { by: [names.pool] }), legendOf(names.pool)]],
        }),
        graph({
          title: 'Workers that failed',
          about: 'Died, hung or wrote garbage, and were replaced.',
          unit: 'ops',
          width: 8,
          lines: [[orZero(of.rate(metrics.workersKilled, { by: [names.pool] })), legendOf(names.pool)]],
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
