import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { WebhookOff } from '#packages/accounts/people/owner-mails.ts'
import { SILENT_MS } from '#packages/domain/webhook/attempts.ts'
import {
  type AttemptResult,
  type DeliveryCommand,
  type DeliveryOutcome,
  delivery,
  GONE,
} from '#packages/domain/webhook/delivery.ts'
import { webhook } from '#packages/domain/webhook/webhook.ts'
import { handleAtRevision } from '#packages/events/store/handle-at-revision.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import type { OwnerPorts } from '#packages/events/store/owner-role.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { unlessOutrun } from '#packages/events/store/unless-outrun.ts'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { messageOf } from '#packages/jobs/webhooks/message.ts'
import { ReceiverSemaphore, receiverLimits } from '#packages/jobs/webhooks/receiver-semaphore.ts'
import type { SendWebhook } from '#packages/jobs/webhooks/send-webhook.ts'
import { signatureHeaders } from '#packages/jobs/webhooks/sign.ts'
import type { WebhookSecrets } from '#packages/jobs/webhooks/webhook-secrets.ts'
import { streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import type { HeldWebhook } from './known-webhooks.ts'
import type { OpenDelivery } from './open-deliveries.ts'

type Ports = Pick<OwnerPorts, 'store' | 'clock' | 'ids' | 'telemetry'>

export type AttemptsOptions = {
  secrets: Pick<WebhookSecrets, 'addressOf' | 'removalOf'>
  send: SendWebhook
  /** Prefix of the links in messages. */
  linkBase: string
  /** Notifies an organization that its webhook was switched off. Missing: no notification is sent. Never rejects. */
  notifySwitchedOff?: ((off: WebhookOff) => Promise<void>) | undefined
}

/** The most attempts under way at once, in total and per organization. Each ends within the receiver's time limit. */
const AT_ONCE = 512
const OF_ORGANIZATION = 64

/** Time limit for recording an attempt's result, milliseconds. After that the attempt has to be made again. */
const GIVE_UP_AFTER_MS = 60_000

/** Makes attempts at deliveries, one at a time per receiver, and records their results. */
export class Attempts {
  readonly #ports: Ports
  readonly #options: AttemptsOptions
  readonly #hosts: ReceiverSemaphore
  readonly #all = new Semaphore(AT_ONCE)

  constructor(ports: Ports, options: AttemptsOptions) {
    this.#ports = ports
    this.#options = options
    this.#hosts = new ReceiverSemaphore(ports.clock, receiverLimits)
  }

  /**
   * Makes the next attempt at a delivery.
   * @param isDue checked again once the receiver is free
   * @returns the revision of the recorded event; undefined if another process was first, or the delivery is no longer
   * due
   * @throws if nothing was recorded, so that the caller tries again; the signal's reason
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

  /** Drops a delivery because its webhook, or the subject of its message, is gone or switched off. */
  drop(open: OpenDelivery): Promise<number | undefined> {
    return this.#append(open, { type: 'drop' })
  }

  /** @returns undefined if the subject of the message was deleted */
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
    // Switch off before recording the end. After a crash in between, the delivery is dropped if its webhook is off, or
    // attempted once more.
    if (outcome === 'failed') await this.#switchOff(open, held, result)
    const revision = await this.#append(open, command)
    telemetry.record(metrics.webhookAttempts, result.milliseconds / 1000, {
      [names.outcome]: outcome ?? 'again',
      [names.errorType]: result.failure ?? undefined,
    })
    return revision
  }

  /** Switches off a receiver that wants no more messages, or has not accepted any for days. */
  async #switchOff(open: OpenDelivery, { id, state, goodAt }: HeldWebhook, result: AttemptResult): Promise<void> {
    const reason = offReason(result, this.#ports.clock.now() - goodAt)
    if (reason === undefined) return
    const { orgId } = state
    const done = await handleCommand(this.#ports, webhook, {
      stream: streams.webhook(id),
      command: { type: 'switch-off', orgId, reason },
      metadata: metadataOf(open),
      giveUpAt: this.#ports.clock.now() + GIVE_UP_AFTER_MS,
    }).catch(unlessOutrun)
    if (done && done.events.length > 0)
      await this.#options.notifySwitchedOff?.({ orgId, webhookId: id, host: state.host, reason })
  }

  /** Ends a webhook of a URL, unless a job has named it meanwhile. */
  async expire({ id, state }: HeldWebhook): Promise<void> {
    const { orgId, onSince } = state
    // Reads the URL before it appends the event. A job that names the URL afterwards stores a new one, which stays. A
    // crash after the event leaves the URL, sealed, until the organization is forgotten.
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
    }).catch(unlessOutrun)
    return appended?.revision
  }
}

/** The URL or the secret is missing, or was sealed with another key. */
const withoutAddress: AttemptResult = {
  status: null,
  failure: 'no_address',
  milliseconds: 0,
  answer: '',
  retryAfterSeconds: null,
}

/** How the attempt ends its delivery; undefined if another attempt follows. */
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
