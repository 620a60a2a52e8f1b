import { randomBytes } from 'node:crypto'
import { lastSeenAt } from '#packages/accounts/keys/last-seen.ts'
import { KEY_BYTES, Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { Lookups } from '#packages/platforms/lookups/lookups.ts'
import type { DateOf } from '#packages/platforms/sources/date-of.ts'
import { type ReadSource, sourceReader } from '#packages/platforms/sources/read-source.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import type { WatchOwnerParts } from '#services/watches/watch-owner.ts'

/** The functions that read sources. */
export type Sources = { readSource: ReadSource; dateOf: DateOf }

/** Reads sources with the lookups that also serve requests, under separate limits. */
export function sourcesOf(platforms: Platforms, { sealer, clock }: { sealer: Sealer; clock: Clock }): Sources {
  const lookups = new Lookups({ platforms, sealer, clock }, ingressDefaults)
  return {
    readSource: sourceReader(lookups),
    async dateOf(url, asker) {
      const { publishedAt } = (await lookups.metadata(asker, url)).metadata
      return publishedAt === null ? null : Date.parse(publishedAt)
    },
  }
}

/** How sources are watched. */
export function watching(
  platforms: Platforms,
  { views, clock }: { views: Views; clock: Clock },
): Omit<WatchOwnerParts, 'acceptance'> {
  // No cursor outlives its look, so a random key is enough.
  const sealer = new Sealer(randomBytes(KEY_BYTES))
  return { ...sourcesOf(platforms, { sealer, clock }), seenAt: (orgId) => lastSeenAt(views, orgId) }
}
