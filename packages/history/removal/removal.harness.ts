import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { Cached } from '#packages/content/media/media-cache.ts'
import { allOf } from '#packages/history/archive/archived-store.fixture.ts'
import { streams } from '#packages/ports/ids.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { closeOrganization } from './close-organization.ts'
import { forgetOrganization } from './forget-organization.ts'
import { recordRemoval } from './record-removal.ts'

export const url = 'https://cdn.example.com/a-known-film.mp4'

/** An ingress in memory, and the removals in it. `dropped`: URLs and organizations with dropped caches. */
export async function startRemoval() {
  const clock = new ManualClock()
  const ingress = await startIngress({ clock })
  const dropped: string[] = []
  const ports = {
    ...ingress,
    clock,
    ids,
    dropCached: async (each: Cached) => void dropped.push('url' in each ? each.url : each.organization),
  }
  const acme = await ingress.org()
  return {
    ingress,
    clock,
    ports,
    dropped,
    acme,
    /** A job that has ended and is settled. */
    async endedJob(of = acme): Promise<string> {
      const { body } = await of.post('/v1/transcript', { url, mode: 'native' })
      await endJob(ingress, body.jobId, { segments: [{ start: 0, end: 1, text: 'known words' }] })
      return body.jobId
    },
    /** Decides to remove an ended job, and does not carry it out. @returns the position of the decision */
    async decide(jobId: string, reason: 'forgotten' | 'retention' = 'forgotten'): Promise<number> {
      const data = { reason, streams: [streams.job(jobId)] }
      const decision = { about: jobId, orgId: acme.orgId, cause: 'test', data }
      return (await recordRemoval(ports, decision, 'no-stream')).position
    },
    close: (orgId = acme.orgId) => closeOrganization(ports, { orgId, cause: 'test' }),
    forget: (orgId = acme.orgId) => forgetOrganization(ports, { orgId, cause: 'test' }),
    /** Every event that the feed still shows. */
    feed: () => allOf(ingress.memory),
    [Symbol.asyncDispose]: () => ingress[Symbol.asyncDispose](),
  }
}

export type StartedRemoval = Awaited<ReturnType<typeof startRemoval>>
