import type { Webhook, WebhookDelivery } from '#contracts/generated/http.ts'

export const eventWords: Readonly<Record<WebhookDelivery['type'], string>> = {
  'job.completed': 'A job is completed',
  'job.failed': 'A job has failed',
  'credits.low': 'Few credits are left',
  ping: 'A try',
}

const offWords = {
  asked: 'Somebody has switched it off.',
  gone: 'It answered 410: it wants nothing any more.',
  failing: 'It took nothing for four days.',
} as const

/** Why a webhook is off. */
export const offReasonOf = ({ disabledReason }: Webhook): string =>
  disabledReason === null ? '' : offWords[disabledReason]

/** Where its messages go, without what may be secret in its URL. */
export const hostIn = ({ url }: Pick<Webhook, 'url'>): string => URL.parse(url)?.host ?? url
