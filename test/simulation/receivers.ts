import type { AttemptResult } from '#packages/domain/webhook/delivery.ts'
import { type WebhookEventName, webhookEvents } from '#packages/domain/webhook/webhook.ts'
import { uuidFrom } from '#packages/ports/ids.ts'
import type { AttemptsOptions } from '#services/webhooks/attempts.ts'
import type { Line } from './faults/line.ts'
import { rawEvent } from './invariants/raw-events.ts'
import { DAY_MS } from './settings.ts'
import type { World } from './world.ts'

/** `away`: for a day, or permanently. `gone`: wants no more messages. */
export type Manner = 'well' | 'away for a day' | 'away for good' | 'gone'

export type Receiver = {
  id: string
  orgId: string
  /** `url`: gets the ends of jobs that name it. */
  kind: 'endpoint' | 'url'
  host: string
  events: WebhookEventName[]
  manner: Manner
}

const manners = ['well', 'well', 'away for a day', 'away for good', 'gone'] as const

/** A notification that a receiver has accepted. */
export type Reception = { webhookId: string; deliveryId: string; body: string }

type Delivery = { dueAt: number; isOpen: boolean }

/** The receivers of webhooks, outside of the service. */
export class Receivers {
  readonly all: Receiver[] = []
  readonly receptions: Reception[] = []
  readonly #world: World
  readonly #deliveries = new Map<string, Delivery>()
  #read = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Makes the receivers of an organization. */
  made(orgId: string): readonly Receiver[] {
    const { random, settings } = this.#world
    const own = random.fork('receivers')
    for (let number = 0; number < settings.webhooks; number++) {
      const manner = own.pick(manners)
      const events = own.chance(0.5) ? [...webhookEvents] : [own.pick([...webhookEvents])]
      const id = uuidFrom('receiver', orgId, number)
      this.all.push({ id, orgId, kind: 'endpoint', host: `host-${number}.example`, events, manner })
    }
    if (settings.webhooks > 0 && random.fork('named receivers').chance(0.6)) {
      const manner = random.fork('manner of a named receiver').pick(manners)
      const id = uuidFrom('receiver', orgId, 'named')
      this.all.push({ id, orgId, kind: 'url', host: 'named.example', events: [], manner })
    }
    return this.all
  }

  /** The URL that an organization's jobs may name. */
  named(orgId: string): Receiver | undefined {
    return this.all.find((receiver) => receiver.kind === 'url' && receiver.orgId === orgId)
  }

  /** How a process reaches them. */
  reachedBy(line: Line): AttemptsOptions {
    return {
      secrets: {
        addressOf: async (id) => ({ url: `https://${this.#of(id)?.host}/${id}`, secrets: ['whsec_c2ltdWxhdGlvbg=='] }),
        removalOf: async () => async () => {},
      },
      send: async ({ url, headers, body }) => {
        const receiver = this.#of(url.slice(url.lastIndexOf('/') + 1))
        const asked = (): Promise<AttemptResult> => this.#ask(receiver, headers['webhook-id'] ?? '', body)
        return line.call('publish', `webhook to ${receiver?.host}`, asked).catch(() => answered(null))
      },
      linkBase: '',
    }
  }

  #of(id: string): Receiver | undefined {
    return this.all.find((one) => one.id === id)
  }

  async #ask(receiver: Receiver | undefined, deliveryId: string, body: string): Promise<AttemptResult> {
    const { faults, scheduler, settings, random } = this.#world
    if (receiver === undefined) return answered(404)
    const { manner, id: webhookId } = receiver
    if (manner === 'gone') return answered(410)
    const isAway =
      manner === 'away for good' || (manner === 'away for a day' && scheduler.now < settings.start + DAY_MS)
    if (isAway) return answered(null)
    const chance = random.fork(`receiver ${deliveryId} ${this.receptions.length}`)
    if (faults.on && chance.chance(0.2)) return answered(chance.pick([500, 302, 429]))
    this.receptions.push({ webhookId, deliveryId, body })
    // The answer is lost, so the message is sent once more.
    return faults.on && chance.chance(0.1) ? answered(null) : answered(chance.pick([200, 204]))
  }

  /** When the next attempt at any delivery is due. Undefined if none is open. */
  nextAt(): number | undefined {
    const { ever, removed } = this.#world.events
    for (; this.#read < ever.length; this.#read++) {
      const record = ever[this.#read]
      if (record?.stream.startsWith('delivery-')) this.#note(rawEvent(record))
    }
    const open = [...this.#deliveries].filter(([stream, { isOpen }]) => isOpen && !removed.has(stream))
    return open.length === 0 ? undefined : Math.min(...open.map(([, { dueAt }]) => dueAt))
  }

  #note({ type, data, stream, recordedAt }: ReturnType<typeof rawEvent>): void {
    const waitMs = type === 'DeliveryAttempted' ? (data.nextInSeconds ?? 0) * 1000 : 0
    this.#deliveries.set(stream, { isOpen: type !== 'DeliveryEnded', dueAt: recordedAt + waitMs })
  }
}

const answered = (status: number | null): AttemptResult => ({
  status,
  failure: status === null ? 'unreachable' : null,
  milliseconds: 5,
  answer: '',
  retryAfterSeconds: null,
})
