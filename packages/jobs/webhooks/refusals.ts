import { isAnswer } from '#packages/events/store/append-until-answered.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { RevisionConflictError } from '#packages/ports/event-store.ts'

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

/** If the store did not answer in time, it is unknown whether the change was stored. */
export function failed(error: unknown): never {
  if (error instanceof ServiceError || (isAnswer(error) && !(error instanceof RevisionConflictError))) throw error
  const message = 'The change could not be written down in time; look at the webhook before you try again.'
  throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
}
