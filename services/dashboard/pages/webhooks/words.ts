import type { OwnDelivery } from '#packages/jobs/webhooks/deliveries.ts'
import type { OwnWebhook } from '#packages/jobs/webhooks/webhooks.ts'

export const eventWords: Readonly<Record<OwnDelivery['type'], string>> = {
  'job.completed': 'Job completed',
  'job.failed': 'Job failed',
  'credits.low': 'Credits running low',
  'batch.ended': 'Batch ended',
  'watch.found': 'Watch found new videos',
  ping: 'Ping',
}

const offWords = {
  asked: 'Switched off by a member.',
  gone: 'Your server answered 410 (Gone).',
  failing: 'Your server has not accepted a message for four days.',
} as const

/** Why a webhook is off. */
export const offReasonOf = ({ reason }: Pick<OwnWebhook, 'reason'>): string => (reason === null ? '' : offWords[reason])
