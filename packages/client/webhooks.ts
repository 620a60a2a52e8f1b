import type {
  AcceptedDelivery,
  AcceptedReplay,
  DeletedWebhook,
  NewWebhook,
  NewWebhookRequest,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookDetails,
  WebhookSecret,
} from '../../contracts/generated/http.ts'
import type { Call, Http } from './http.ts'
import type { CallOptions } from './jobs.ts'

const root = '/v1/webhooks'
const pathOf = (id: string): string => `${root}/${encodeURIComponent(id)}`

/** The webhooks of an organization. What shows a secret is not retried where it may have taken effect. */
export class Webhooks {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  list({ signal }: CallOptions = {}): Promise<Webhook[]> {
    return this.#http.json({ path: root, repeatable: true, signal })
  }

  get(id: string, { signal }: CallOptions = {}): Promise<WebhookDetails> {
    return this.#http.json({ path: pathOf(id), repeatable: true, signal })
  }

  /** @returns the webhook with its secret, which is never shown again */
  create(body: NewWebhookRequest, { signal }: CallOptions = {}): Promise<NewWebhook> {
    return this.#http.json({ method: 'POST', path: root, body, repeatable: false, signal })
  }

  change(id: string, body: WebhookChanges, { signal }: CallOptions = {}): Promise<WebhookDetails> {
    return this.#http.json({ method: 'PATCH', path: pathOf(id), body, repeatable: true, signal })
  }

  delete(id: string, { signal }: CallOptions = {}): Promise<DeletedWebhook> {
    return this.#http.json({ method: 'DELETE', path: pathOf(id), repeatable: true, signal })
  }

  /** Replaces the secret. For a day messages are signed with both. */
  rotate(id: string, options: CallOptions = {}): Promise<WebhookSecret> {
    return this.#post(`${pathOf(id)}/rotate`, options)
  }

  /** Makes or replaces the secret that signs what goes to the `webhookUrl` of jobs. */
  makeSecret(options: CallOptions = {}): Promise<WebhookSecret> {
    return this.#post(`${root}/secret`, options)
  }

  /** Has a message sent to try the webhook. */
  ping(id: string, options: CallOptions = {}): Promise<AcceptedDelivery> {
    return this.#post(`${pathOf(id)}/ping`, options)
  }

  /** One page of its messages, newest first. */
  deliveries(
    id: string,
    query: { status?: WebhookDelivery['status']; cursor?: string; limit?: number } = {},
    { signal }: CallOptions = {},
  ): Promise<WebhookDeliveryList> {
    return this.#http.json({ path: `${pathOf(id)}/deliveries`, query, repeatable: true, signal })
  }

  redeliver(id: string, deliveryId: string, options: CallOptions = {}): Promise<AcceptedDelivery> {
    return this.#post(`${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`, options)
  }

  /** Has everything sent again that has happened since. @param from as RFC 3339 writes it */
  replay(id: string, from: string, options: CallOptions = {}): Promise<AcceptedReplay> {
    return this.#post(`${pathOf(id)}/replay`, options, { from })
  }

  #post<T>(path: string, { signal }: CallOptions, body?: Call['body']): Promise<T> {
    return this.#http.json({ method: 'POST', path, body, repeatable: false, signal })
  }
}
