import { ServiceError } from '#packages/foundation/errors/service-error.ts'

export const noSuchWebhook = (): ServiceError => new ServiceError('not_found', 'There is no such webhook.')

export const noSuchDelivery = (): ServiceError => new ServiceError('not_found', 'There is no such delivery.')

export const isOff = (): ServiceError =>
  new ServiceError('forbidden', 'The webhook is off: switch it on first.', { details: { reason: 'webhook_off' } })

/** The webhook of a URL that jobs name: it can only be switched on or off, and only its deliveries can be repeated. */
export const namedByJobs = (): ServiceError =>
  new ServiceError(
    'forbidden',
    'Jobs name this URL: it can be switched off and on, and its deliveries sent again one by one.',
    {
      details: { reason: 'named_by_jobs' },
    },
  )

export const tooMany = (limit: number): ServiceError =>
  new ServiceError(
    'forbidden',
    `This plan allows ${limit} webhooks; hosts that jobs of the last day have named count too.`,
    { details: { reason: 'plan', required: 1, remaining: 0 } },
  )

export const noDefaultSecret = (): ServiceError =>
  new ServiceError('forbidden', 'Create the default secret first: it signs messages to a webhookUrl.', {
    details: { reason: 'no_default_secret' },
  })

/** The secret was sealed with another key. */
export const unreadable = (): ServiceError =>
  new ServiceError(
    'unavailable',
    'The URL and the secret of this webhook cannot be read. Delete it and create a new one.',
  )
