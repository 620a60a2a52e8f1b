import { crc32 } from 'node:zlib'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { fullGrant, type KeyGrant } from '#packages/domain/key/grant.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { eventId, keyIdOf, sha256, streams } from '#packages/ports/ids.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import type { Random } from '#test/doubles/random.ts'
import { traceparent } from './ingress-node.ts'
import { DAY_MS } from './settings.ts'
import type { World } from './world.ts'

export type Key = { id: string; secret: string; grant: KeyGrant }
export type Organization = {
  orgId: string
  plan: Plan
  /** Two that may do everything, then those with limits. */
  keys: Key[]
  floods: boolean
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A key as the service would make it, but from the seed. */
function makeKey(random: Random, grant: KeyGrant = fullGrant): Key {
  const body = `ma_${Array.from({ length: 32 }, () => random.pick([...ALPHABET])).join('')}`
  let rest = crc32(body)
  let checksum = ''
  for (let place = 0; place < 6; place++) {
    checksum = ALPHABET.charAt(rest % 62) + checksum
    rest = Math.floor(rest / 62)
  }
  const secret = body + checksum
  return { id: keyIdOf(sha256(secret)), secret, grant }
}

/**
 * Keys with few credits a month, some without any, keys that expire while the customers send requests, and one of each
 * scope.
 */
function limitedKeys({ settings, random }: World, number: number): Key[] {
  const { limitsKeys, start, asksForMs } = settings
  if (!limitsKeys) return []
  const own = random.fork(`limited keys of ${number}`)
  const limits: Partial<KeyGrant>[] = [
    { monthlyCredits: own.pick([0, 1, 4, 6, 11]) },
    { monthlyCredits: own.between(1, 12), scopes: ['jobs'] },
    { expiresAt: start + own.between(0, asksForMs) },
    { scopes: ['read', 'keys'] },
  ]
  return limits.map((limit) => makeKey(own, { ...fullGrant, ...limit }))
}

/** Organizations as they were registered before the run. */
export async function registerOrganizations(world: World): Promise<Organization[]> {
  const { organizations, flood, longPast } = world.settings
  const random = world.random.fork('organizations')
  const made: Organization[] = []
  for (let number = 0; number < organizations; number++) {
    const floods = flood > 0 && number === 0
    const plan = floods ? 'starter' : random.pick(['free', 'starter', 'pro'] as const)
    const keys = [makeKey(random), makeKey(random), ...limitedKeys(world, number)]
    const organization = { orgId: random.uuid(), plan, keys, floods }
    const past = longPast && number === 0 ? random.between(185, 199) : 0
    await register(world, organization, { credits: floods ? 300 : random.pick([2, 7, 50, 50]), past })
    if (number === 0) await registerWebhooks(world, organization.orgId)
    made.push(organization)
  }
  return made
}

/** Webhooks that were made some days before. */
async function registerWebhooks(world: World, orgId: string): Promise<void> {
  const clock = { ...world.storeClock, now: () => world.settings.start - 2 * DAY_MS }
  const store = new MemoryEventStore({ clock, events: world.events, codec: world.codec })
  const metadata = { orgId, correlationId: orgId, causationId: orgId, traceparent }
  for (const { id, kind, host, events } of world.receivers.made(orgId)) {
    const stream = streams.webhook(id)
    const data = { orgId, kind, host, events, results: false, createdBy: null }
    const event = { type: 'WebhookCreated' as const, data }
    await store.append(stream, 'no-stream', [{ ...event, id: eventId(stream, event.type, data), metadata }])
  }
}

async function register(
  world: World,
  { orgId, plan, keys }: Organization,
  { credits, past }: { credits: number; past: number },
): Promise<void> {
  const store = new MemoryEventStore({ clock: world.storeClock, events: world.events, codec: world.codec })
  const write = (stream: string, ...events: DomainEvent[]): Promise<unknown> => {
    const metadata = { orgId, correlationId: orgId, causationId: orgId, traceparent }
    // As the service makes them.
    const idOf = ({ type, data }: DomainEvent, index: number): string =>
      eventId(stream, type === 'CreditsRenewed' ? `${type}/${orgId}/${index}` : type, data)
    return store.append(
      stream,
      'no-stream',
      events.map((event, index): NewEvent => ({ ...event, id: idOf(event, index), metadata })),
    )
  }
  const granted: DomainEvent = { type: 'CreditsGranted', data: { credits, reason: 'sign_up', by: 'command' } }
  const planned: DomainEvent[] =
    plan === 'free'
      ? []
      : [
          { type: 'PlanChanged', data: { plan, by: 'command' } },
          {
            type: 'CreditsRenewed',
            data: {
              period: new Date(world.scheduler.now).toISOString().slice(0, 7),
              credits: plan === 'pro' ? 2000 : 500,
              expired: 0,
            },
          },
        ]
  // Sizes that no operator of the run grants.
  const before = Array.from({ length: past }, (_, index): DomainEvent => {
    return { type: 'CreditsGranted', data: { credits: 100 + index, reason: 'adjustment', by: 'command' } }
  })
  await write(streams.credits(orgId), granted, ...planned, ...before)
  await write(streams.organization(orgId), { type: 'OrganizationRegistered', data: { name: `organization ${orgId}` } })
  for (const { id, secret, grant } of keys) {
    const marks = { prefix: secret.slice(0, 7), suffix: secret.slice(-4) }
    await write(streams.key(id), {
      type: 'KeyCreated',
      data: { orgId, name: 'a key', sha256: sha256(secret), ...marks, ...grant, createdBy: null },
    })
  }
}
