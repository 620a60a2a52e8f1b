import { orZero } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { dashboard } from './dashboard.ts'
import { bars, by, graph, legendOf, of, RANGE, stat } from './panels.ts'

const moved = (operation: string) => ({ [names.creditsOperation]: operation })

/** Debited, charged and refunded credits, and open debits. */
export const credits = dashboard({
  name: 'credits',
  title: 'Credits',
  about:
    'What is debited, charged and refunded, and what is still open. The ledgers are the record; this shows their pace.',
  rows: [
    {
      title: 'What is open',
      panels: [
        stat({
          title: 'Debited and not settled',
          about: 'Credits of jobs that are running, or that ended without a settlement.',
          unit: 'short',
          lines: [[of.sum(metrics.creditsUnsettled), 'credits']],
        }),
        stat({
          title: 'Longest open past its job',
          about: 'Above 10 minutes somebody is called: ops/runbooks/credits-unsettled.md.',
          unit: 's',
          warn: 60,
          bad: 600,
          lines: [[of.max(metrics.creditsUnsettledOldest), 'seconds']],
        }),
        graph({
          title: 'Open over time',
          about: 'Follows the number of jobs under way. What stays where no job is open is lost to its customer.',
          unit: 'short',
          lines: [[of.sum(metrics.creditsUnsettled), 'credits']],
        }),
      ],
    },
    {
      title: 'What moves',
      panels: [
        bars({
          title: 'In the time that is looked at',
          about: 'Charged and refunded together come to what was debited, but for what is open.',
          unit: 'short',
          lines: [by([names.creditsOperation], (by) => of.increase(metrics.creditsMoved, RANGE, { by }))],
        }),
        graph({
          title: 'Credits per second',
          about: 'Debited at acceptance, charged and refunded at settlement.',
          unit: 'ops',
          lines: [by([names.creditsOperation], (by) => of.rate(metrics.creditsMoved, { by }))],
        }),
        graph({
          title: 'Share that is refunded',
          about: 'By kind of job. The highest price is debited, so some refund is usual; a jump means failures.',
          unit: 'percentunit',
          lines: [
            [
              `${of.rate(metrics.creditsMoved, { by: [names.kind], where: moved('refunded') })} / ${of.rate(metrics.creditsMoved, { by: [names.kind], where: moved('debited') })}`,
              legendOf(names.kind),
            ],
          ],
        }),
        graph({
          title: 'Charged, by kind of job',
          about: 'What customers pay for.',
          unit: 'ops',
          lines: [by([names.kind], (by) => of.rate(metrics.creditsMoved, { by, where: moved('charged') }))],
        }),
      ],
    },
    {
      title: 'What it costs us',
      panels: [
        graph({
          title: 'Tokens of the language model',
          about: 'Per second. LLM_TOKENS_PER_DAY ends it for a day.',
          unit: 'ops',
          lines: [by([names.genAiTokenType], (by) => orZero(of.rate(metrics.modelTokens, { by })))],
        }),
        graph({
          title: 'Sound transcribed',
          about: 'Seconds of sound per second. SPEECH_MINUTES_PER_DAY ends it for a day.',
          unit: 'short',
          lines: [[orZero(of.rate(metrics.speechSeconds)), 'seconds per second']],
        }),
      ],
    },
  ],
})
