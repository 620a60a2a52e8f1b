import { noOptions } from '#packages/domain/job/events.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { noTerms, type Terms } from '#packages/jobs/acceptance/terms.ts'
import type { Random } from '#test/doubles/random.ts'
import type { Key, Organization } from './organizations.ts'
import { wanted } from './talk.ts'
import { makeVideo } from './videos.ts'
import type { World } from './world.ts'

/** A job that a customer wants. */
export type Wish = {
  organization: Organization
  key: Key
  request: JobRequest
  terms: Terms
  idempotencyKey: string | undefined
}

/** Makes wishes for a job on a new video. */
export function makeWish(world: World, given: Random, number: number, organization: Organization): Wish {
  const video = makeVideo(given, number, world.settings)
  world.videos.set(video.url, video)
  const mode = organization.floods ? 'generate' : given.pick(['native', 'generate', 'auto', 'auto'] as const)
  const extracts = world.random.fork(`kind of ${number}`).chance(organization.floods ? 0 : 0.3)
  const request: JobRequest = extracts
    ? { kind: 'extraction', url: video.url, mode: null, lang: null, ...wanted, options: noOptions }
    : { kind: 'transcript', url: video.url, mode, lang: null, prompt: null, schema: null, options: noOptions }
  const idempotencyKey = given.chance(0.7) ? `key ${number}` : undefined
  const key = keyFor(world.random.fork(`key of ${number}`), organization)
  const terms = termsFor(world, world.random.fork(`terms of ${number}`), organization)
  return { organization, key, request, terms, idempotencyKey }
}

/** If the organization has a URL for it, some customers want a webhook. It is made before the run. */
function termsFor(world: World, random: Random, { orgId }: Organization): Terms {
  const receiver = world.receivers.named(orgId)
  if (receiver === undefined || !random.chance(0.5)) return noTerms
  return { ...noTerms, webhook: { id: receiver.id, prepare: async () => {} } }
}

/** The first key, or one with limits, so that several requests share the same one. */
function keyFor(random: Random, { keys: [first, _, ...limited], floods }: Organization): Key {
  return limited.length > 0 && !floods && random.chance(0.6) ? random.pick(limited) : (first as Key)
}

/**
 * Wishes for the same job that accept an earlier result, each with a delay in milliseconds. They come from the same
 * people, also under the key of the first request, and from strangers.
 */
export function reusesOf(
  world: World,
  organizations: readonly Organization[],
  wish: Wish,
): { again: Wish; afterMs: number }[] {
  if (!world.settings.reusesResults) return []
  const random = world.random.fork(`reuses of ${wish.request.url}`)
  return Array.from({ length: random.between(1, 3) }, (_, n) => {
    const organization = random.chance(0.3) ? random.pick(organizations) : wish.organization
    const idempotencyKey = random.pick([undefined, `reuse ${n} of ${wish.request.url}`, wish.idempotencyKey])
    const key = organization === wish.organization ? wish.key : (organization.keys[0] as Key)
    const afterMs = random.pick([0, 3000, 8000, 20_000, 45_000]) + random.between(0, 500)
    return { again: { ...wish, organization, key, terms: { ...noTerms, reuse: true }, idempotencyKey }, afterMs }
  })
}
