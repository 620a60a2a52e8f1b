import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { WebhookOff } from '#packages/accounts/webhook-mails.ts'
import { SILENT_MS } from '#packages/domain/webhook/attempts.ts'
import {
  type AttemptResult,
  type DeliveryCommand,
  type DeliveryOutcome,
  delivery,
  GONE,
} from '#packages/domain/webhook/delivery.ts'
import { webhook } from '#packages/domain/webhook/webhook.ts'
import { handleAtRevision } from '#packages/event-store/handle-at-revision.ts'
import { handleCommand } from '#packages/event-store/handle-command.ts'
import { toAppend } from '#packages/event-store/to-append.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError, StreamRemovedError } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { messageOf } from '#packages/webhooks/message.ts'
import { ReceiverSemaphore, receiverLimits } from '#packages/webhooks/receiver-semaphore.ts'
import type { SendWebhook } from '#packages/webhooks/send-webhook.ts'
import { signatureHeaders } from '#packages/webhooks/sign.ts'
import type { WebhookSecrets } from '#packages/webhooks/webhook-secrets.ts'
import { Semaphore } from '#packages/work/semaphore.ts'
import type { HeldWebhook } from './known-webhooks.ts'
import type { OpenDelivery } from './open-deliveries.ts'

export type AttemptsPorts = { store: EventStore; clock: Clock; ids: Ids; telemetry: Telemetry }

export type AttemptsOptions = {
  secrets: Pick<WebhookSecrets, 'addressOf' | 'removalOf'>
  send: SendWebhook
  /** Before the paths of links. */
  linkBase: string
  /** Tells an organization that a webhook was switched off; missing: it sees that itself. Never rejects. */
  notifySwitchedOff?: ((off: WebhookOff) => Promise<void>) | undefined
}

/** Attempts under way at once, and those of one organization. Each takes at most the time that a receiver has. */
const AT_ONCE = 512
const OF_ORGANIZATION = 64

/** How long the result of an attempt is tried to be written down: it would have to be made again, milliseconds. */
const GIVE_UP_AFTER_MS = 60_000

/** Makes attempts at deliveries, one receiver's in turn, and writes down what comes of them. */
export class Attempts {
  readonly #ports: AttemptsPorts
  readonly #options: AttemptsOptions
  readonly #hosts: ReceiverSemaphore
  readonly #all = new Semaphore(AT_ONCE)

  constructor(ports: AttemptsPorts, options: AttemptsOptions) {
    this.#ports = ports
    this.#options = options
    this.#hosts = new ReceiverSemaphore(ports.clock, receiverLimits)
  }

  /**
   * Makes the next attempt at a delivery.
   * @param isDue asked again once it is its receiver's turn
   * @returns the revision of what was written down; undefined: somebody else was first, or it is not due any more
   * @throws where nothing was written down: it has to be tried again; the signal's reason
   */
  async make(
    open: OpenDelivery,
    held: HeldWebhook,
    isDue: () => boolean,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { orgId, host } = held.state
    using turn = await this.#hosts.acquire({ name: host, owner: orgId }, signal)
    using _slot = await this.#all.acquire(signal, [{ name: orgId, most: OF_ORGANIZATION }])
    if (!isDue()) return undefined
    await turn.begin()
    if (!isDue()) return undefined
    const { telemetry } = this.#ports
    return await telemetry.within(open.traceparent, () =>
      telemetry.inSpan({ name: 'deliver webhook', attributes: { [names.serverAddress]: host } }, async (set) => {
        const result = await this.#ask(open, held, signal)
        if (result === undefined) return this.drop(open)
        set({ [names.httpStatus]: result.status ?? undefined, [names.errorType]: result.failure ?? undefined })
        return this.#note(open, held, result)
      }),
    )
  }

  /** The webhook is off or gone, or what it would be told of. */
  drop(open: OpenDelivery): Promise<number | undefined> {
    return this.#append(open, { type: 'drop' })
  }

  /** @returns undefined where what it is about was deleted */
  async #ask(open: OpenDelivery, held: HeldWebhook, signal: AbortSignal): Promise<AttemptResult | undefined> {
    const { secrets, send, linkBase } = this.#options
    const { orgId, results: withResult } = held.state
    const body = await messageOf(this.#ports.store, open.state, { withResult, linkBase })
    if (body === undefined) return undefined
    const address = await secrets.addressOf(held.id, orgId)
    if (address === undefined) return withoutAddress
    const timestamp = Math.floor(this.#ports.clock.now() / 1000)
    const headers = {
      'content-type': 'application/json',
      ...signatureHeaders(address.secrets, { id: open.id, timestamp, body }),
    }
    return send({ url: address.url, orgId, headers, body, attempt: open.state.attempts + 1, signal })
  }

  async #note(open: OpenDelivery, held: HeldWebhook, result: AttemptResult): Promise<number | undefined> {
    const { telemetry, ids } = this.#ports
    const command = { type: 'note', result, chance: ids.random() } as const
    const outcome = outcomeOf(open, command)
    // Before the end is written down: a crash in between makes one more attempt, and misses nothing.
    if (outcome === 'failed') await this.#switchOff(open, held, result)
    const revision = await this.#append(open, command)
    telemetry.record(metrics.webhookAttempts, result.milliseconds / 1000, {
      [names.outcome]: outcome ?? 'again',
      [names.errorType]: result.failure ?? undefined,
    })
    return revision
  }

  /** A receiver that wants nothing any more, or has not taken anything for days, is left alone. */
  async #switchOff(open: OpenDelivery, { id, state, goodAt }: HeldWebhook, result: AttemptResult): Promise<void> {
    const reason = offReason(result, this.#ports.clock.now() - goodAt)
    if (reason === undefined) return
    const { orgId } = state
    const done = await handleCommand(this.#ports, webhook, {
      stream: streams.webhook(id),
      command: { type: 'switch-off', orgId, reason },
      metadata: metadataOf(open),
      giveUpAt: this.#ports.clock.now() + GIVE_UP_AFTER_MS,
    }).catch(unlessLate)
    if (done && done.events.length > 0)
      await this.#options.notifySwitchedOff?.({ orgId, webhookId: id, host: state.host, reason })
  }

  /** Ends a webhook of a URL, unless a job has named it meanwhile. */
  async expire({ id, state }: HeldWebhook): Promise<void> {
    const { orgId, onSince } = state
    // Taken before the event: a job that names it afterwards puts another one, which stays. A crash after the event leaves
    // it, sealed, until the organization is forgotten.
    const removeUrl = await this.#options.secrets.removalOf(id)
    const done = await handleCommand(this.#ports, webhook, {
      stream: streams.webhook(id),
      command: { type: 'expire', orgId, onSince },
      metadata: { orgId, correlationId: id, causationId: `webhooks/${id}/expired`, traceparent: newTraceparent(false) },
      giveUpAt: this.#ports.clock.now() + GIVE_UP_AFTER_MS,
    })
    if (done.events.length > 0) await removeUrl()
  }

  async #append(open: OpenDelivery, command: DeliveryCommand): Promise<number | undefined> {
    const stream = streams.delivery(open.id)
    const { state, revision } = open
    const appended = await handleAtRevision(this.#ports, delivery, {
      stream,
      command,
      state,
      revision,
      toAppend: (events) => toAppend(stream, events, metadataOf(open)),
      giveUpAt: this.#ports.clock.now() + GIVE_UP_AFTER_MS,
      outlastsFullDisk: true,
    }).catch(unlessLate)
    return appended?.revision
  }
}

/** The URL or the secret is not there, or another key has sealed it. */
const withoutAddress: AttemptResult = {
  status: null,
  failure: 'no_address',
  milliseconds: 0,
  answer: '',
  retryAfterSeconds: null,
}

/** How the attempt ends its delivery; undefined: another follows. */
function outcomeOf({ state }: OpenDelivery, command: DeliveryCommand): DeliveryOutcome | undefined {
  const ended = delivery.decide(command, state).find((event) => event.type === 'DeliveryEnded')
  return ended?.data.outcome
}

function offReason({ status }: AttemptResult, silentMs: number): WebhookOff['reason'] | undefined {
  if (status === GONE) return 'gone'
  return silentMs >= SILENT_MS ? 'failing' : undefined
}

const metadataOf = ({ id, state, revision, traceparent }: OpenDelivery): EventMetadata => ({
  orgId: state.orgId,
  correlationId: state.jobId ?? id,
  causationId: `webhooks/${id}/${revision}`,
  traceparent,
})

/** Somebody has appended first, or it was deleted: what came is read in the feed. */
function unlessLate(error: unknown): undefined {
  if (!(error instanceof RevisionConflictError || error instanceof StreamRemovedError)) throw error
}
