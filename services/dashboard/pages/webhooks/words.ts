import type { OwnDelivery } from '#packages/webhooks/deliveries.ts'
import type { OwnWebhook } from '#packages/webhooks/webhooks.ts'

export const eventWords: Readonly<Record<OwnDelivery['type'], string>> = {
  'job.completed': 'A job is completed',
  'job.failed': 'A job has failed',
  'credits.low': 'Few credits are left',
  'batch.ended': 'A batch has ended',
  'watch.found': 'A watch has found new videos',
  ping: 'A try',
}

const offWords = {
  asked: 'Somebody has switched it off.',
  gone: 'It answered 410: it wants nothing any more.',
  failing: 'It took nothing for four days.',
} as const

/** Why a webhook is off. */
export const offReasonOf = ({ reason }: Pick<OwnWebhook, 'reason'>): string => (reason === null ? '' : offWords[reason])
