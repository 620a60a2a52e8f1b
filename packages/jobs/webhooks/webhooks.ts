import type { NewWebhook, Webhook, WebhookDetails } from '#contracts/generated/http.ts'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import { assertScope } from '#packages/accounts/keys/assert-scope.ts'
import type { KeyHolder } from '#packages/domain/key/key.ts'
import {
  isKnown,
  type KnownWebhook,
  type WebhookCommand,
  type WebhookEventName,
  webhook,
} from '#packages/domain/webhook/webhook.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { handleAndShow } from '#packages/events/store/handle-and-show.ts'
import type { WebhookDocument } from '#packages/events/views/webhooks.ts'
import { isJobId as isId } from '#packages/jobs/status/job-id.ts'
import { type Clock, isoOf } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams, urlWebhookIdOf } from '#packages/ports/ids.ts'
import type { PageQuestion, Stored, Views } from '#packages/ports/views.ts'
import { endpointsOf } from './endpoints-of.ts'
import { isOff, namedByJobs, noDefaultSecret, noSuchWebhook, tooMany, unreadable } from './refusals.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'
import { webhookUrlOf } from './webhook-url.ts'

export type WebhooksPorts = { store: EventStore; views: Views; clock: Clock; ids: Ids; secrets: WebhookSecrets }

export type WebhooksOptions = {
  /** Whether http is accepted in addition to https. */
  isHttpAllowed: boolean
}

/** An endpoint's events and URL. `results`: small results are in the body; needs the scope `read`. */
export type EndpointRequest = { url: string; events: WebhookEventName[]; results: boolean }

/** One webhook, for its organization. Its secrets are shown only when they are created. */
export type OwnWebhook = Webhook

/** How long a URL counts as an endpoint after a job named it, milliseconds. */
const COUNTED_FOR_MS = 24 * 60 * 60 * 1000

/**
 * The webhooks of organizations, for every surface. `metadata` names the organization and the request. Each method
 * throws ServiceError: not_found if the organization has no such webhook, unavailable if the store does not answer.
 */
export class Webhooks {
  readonly #ports: WebhooksPorts
  readonly #options: WebhooksOptions

  constructor(ports: WebhooksPorts, options: WebhooksOptions) {
    this.#ports = ports
    this.#options = options
  }

  /** All endpoints, oldest first. Includes the hundred most recently named webhooks of kind `url` that count. */
  async list(orgId: string): Promise<OwnWebhook[]> {
    const { views } = this.#ports
    const urls = await views.page<WebhookDocument>('webhooks', urlsOf(orgId))
    return [...(await endpointsOf(views, orgId)), ...urls]
      .filter((document) => this.#counts(document))
      .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
      .map((document) => ownWebhook(document.id, document, document.lastSuccessAt))
  }

  /** One webhook, read from its own events, with its whole URL. The URL is null if it cannot be read. */
  async get(orgId: string, id: string): Promise<WebhookDetails> {
    const { views, secrets } = this.#ports
    const known = await this.#known(orgId, id)
    const document = await views.get<WebhookDocument>('webhooks', id).catch(() => undefined)
    return { ...ownWebhook(id, known, document?.lastSuccessAt ?? null), url: (await secrets.urlOf(id)) ?? null }
  }

  /**
   * Creates an endpoint.
   * @param limit how many the plan allows
   * @returns its secret, which is not shown again
   * @throws ServiceError invalid_request, forbidden (too many, or results for a key that may not read)
   */
  async create(
    { url, events, results }: EndpointRequest,
    { by, limit, metadata }: { by: KeyHolder; limit: number; metadata: EventMetadata },
  ): Promise<NewWebhook> {
    const { orgId } = metadata
    const target = webhookUrlOf(url, { ...this.#options, field: 'url' })
    if (results) assertScope(by.grant, 'read')
    await this.#assertRoom(orgId, limit)
    const id = this.#ports.ids.uuid()
    const secret = await this.#ports.secrets.create(id, orgId, target.url)
    const { host } = target
    const made = { orgId, kind: 'endpoint' as const, host, events, results, createdBy: by.keyId }
    await this.#handle(id, { type: 'create', webhook: made }, metadata)
    return { ...ownWebhook(id, await this.#known(orgId, id), null), url: target.url, secret }
  }

  /** The webhook of a URL that a job names, always the same. @throws ServiceError invalid_request */
  named(orgId: string, text: string): { id: string; url: string; host: string } {
    const target = webhookUrlOf(text, { ...this.#options, field: 'webhookUrl' })
    return { id: urlWebhookIdOf(orgId, target.url), ...target }
  }

  /**
   * Creates the webhook of a URL that a job names, unless one was named within the last day.
   * @param limit how many hosts and endpoints the plan allows together
   * @throws ServiceError forbidden (too many, or there is no default secret)
   */
  async prepare(
    { id, url, host }: ReturnType<Webhooks['named']>,
    { by, limit, metadata }: { by: KeyHolder; limit: number; metadata: EventMetadata },
  ): Promise<void> {
    const { orgId } = metadata
    const { store, clock, secrets } = this.#ports
    const known = fold(webhook, await store.read(streams.webhook(id)))
    const isNamed = known.status === 'on' && known.onSince > clock.now() - COUNTED_FOR_MS
    // The process that last named it may have died before storing the URL.
    if (isNamed && (await secrets.urlOf(id)) !== undefined) return
    if (!(await secrets.hasDefault(orgId))) throw noDefaultSecret()
    await this.#assertRoom(orgId, limit, host)
    const made = { orgId, kind: 'url' as const, host, events: [], results: false, createdBy: by.keyId }
    await this.#handle(id, { type: 'name', webhook: made }, metadata)
    // After the event: from then on nothing ends the webhook and removes its URL.
    await secrets.putUrl(id, orgId, url)
  }

  /** Changes the given fields. @throws ServiceError forbidden: other fields than `status` of a `url` webhook */
  async change(
    id: string,
    asked: Partial<EndpointRequest> & { status?: 'on' | 'off' },
    { by, metadata }: { by: KeyHolder; metadata: EventMetadata },
  ): Promise<WebhookDetails> {
    const { orgId } = metadata
    const known = await this.#known(orgId, id)
    const { events = known.events, results = known.results, status } = asked
    if (known.kind === 'url' && (asked.url ?? asked.events ?? asked.results) !== undefined) throw namedByJobs()
    // A key that may not read results cannot send them elsewhere either.
    if (results && (asked.results || asked.url !== undefined)) assertScope(by.grant, 'read')
    const target = asked.url === undefined ? undefined : webhookUrlOf(asked.url, { ...this.#options, field: 'url' })
    if (target && !(await this.#ports.secrets.changeUrl(id, orgId, target.url))) throw unreadable()
    const { host = known.host } = target ?? {}
    if (target || asked.events || asked.results !== undefined)
      await this.#handle(id, { type: 'change', orgId, host, events, results }, metadata)
    if (status === 'on') await this.#handle(id, { type: 'switch-on', orgId }, metadata)
    if (status === 'off') await this.#handle(id, { type: 'switch-off', orgId, reason: 'asked' }, metadata)
    return this.get(orgId, id)
  }

  /** Ends all deliveries to it, including those under way. Removes its URL and its secrets. */
  async remove(id: string, metadata: EventMetadata): Promise<void> {
    const { orgId } = metadata
    await this.#known(orgId, id)
    await this.#ports.secrets.remove(id)
    await this.#handle(id, { type: 'remove', orgId }, metadata)
  }

  /** @returns the new secret, which is not shown again. The previous one also signs for a day */
  async rotate(orgId: string, id: string): Promise<string> {
    await this.#known(orgId, id)
    const secret = await this.#ports.secrets.rotate(id, orgId)
    if (secret === undefined) throw unreadable()
    return secret
  }

  /** Creates or replaces the default secret. @returns it, only this once. The previous one also signs for a day */
  rotateDefaultSecret(orgId: string): Promise<string> {
    return this.#ports.secrets.rotateDefault(orgId)
  }

  /**
   * Delivers everything again that an endpoint would have received since an instant, milliseconds since 1970.
   * @throws ServiceError forbidden: it is off, or its URL is named by jobs
   */
  async replay(id: string, since: number, metadata: EventMetadata): Promise<void> {
    const { orgId } = metadata
    const known = await this.#known(orgId, id)
    if (known.status === 'off') throw isOff()
    if (known.kind === 'url') throw namedByJobs()
    const sinceSeconds = Math.max(0, (this.#ports.clock.now() - since) / 1000)
    await this.#handle(id, { type: 'replay', orgId, sinceSeconds }, metadata)
  }

  async #known(orgId: string, id: string): Promise<KnownWebhook> {
    if (!isId(id)) throw noSuchWebhook()
    const known = fold(webhook, await this.#ports.store.read(streams.webhook(id)))
    if (!isKnown(known) || known.orgId !== orgId) throw noSuchWebhook()
    return known
  }

  /** @param host the host that a job names. If it already has a webhook, it needs no more room */
  async #assertRoom(orgId: string, limit: number, host?: string): Promise<void> {
    if (host !== undefined && (await this.#isNamed(orgId, host))) return
    const endpoints = await endpointsOf(this.#ports.views, orgId)
    const hosts = await this.#hostsOf(orgId, limit - endpoints.length)
    if (endpoints.length + hosts >= limit) throw tooMany(limit)
  }

  /** Whether a job of the last day has named a URL of the host. */
  async #isNamed(orgId: string, host: string): Promise<boolean> {
    const question = { ...urlsOf(orgId, host), limit: 1 }
    const [newest] = await this.#ports.views.page<WebhookDocument>('webhooks', question)
    return newest !== undefined && this.#counts(newest)
  }

  /** How many hosts jobs of the last day have named, at most `most`. One host may have as many URLs as jobs. */
  async #hostsOf(orgId: string, most: number): Promise<number> {
    const hosts = new Set<string>()
    let question: PageQuestion | undefined = urlsOf(orgId)
    while (question !== undefined && hosts.size < most) {
      const page: Stored<WebhookDocument>[] = await this.#ports.views.page<WebhookDocument>('webhooks', question)
      for (const each of page) if (this.#counts(each)) hosts.add(each.host)
      const last: Stored<WebhookDocument> | undefined = page.length === question.limit ? page.at(-1) : undefined
      question = last && this.#counts(last) ? { ...question, after: { by: last.usedAt, id: last.id } } : undefined
    }
    return hosts.size
  }

  /** A `url` webhook counts for a day after the last job that named it. */
  #counts({ kind, usedAt }: WebhookDocument): boolean {
    return kind === 'endpoint' || usedAt > this.#ports.clock.now() - COUNTED_FOR_MS
  }

  #handle(id: string, command: WebhookCommand, metadata: EventMetadata): Promise<void> {
    return handleAndShow(this.#ports, webhook, { stream: streams.webhook(id), command, metadata }, 'the webhook')
  }
}

/** A page of the webhooks of URLs that jobs name, the most recently named first. */
const urlsOf = (orgId: string, host?: string): PageQuestion => ({
  where: { listedFor: [orgId], kind: ['url'], ...(host !== undefined && { host: [host] }) },
  by: 'usedAt',
  limit: 100,
})

type Shown = Pick<
  KnownWebhook,
  'kind' | 'host' | 'events' | 'results' | 'status' | 'reason' | 'createdAt' | 'createdBy'
>

function ownWebhook(id: string, known: Shown | WebhookDocument, lastSuccessAt: number | null): OwnWebhook {
  const { kind, host, events, results, reason, createdBy } = known
  return {
    id,
    kind,
    host,
    events,
    results,
    status: known.status === 'on' ? 'on' : 'off',
    reason,
    createdAt: isoOf(known.createdAt),
    createdBy,
    lastSuccessAt: lastSuccessAt === null ? null : isoOf(lastSuccessAt),
  }
}
