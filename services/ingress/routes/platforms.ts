import type { Platform } from '#contracts/generated/http.ts'
import type { PlatformMinutes } from '#packages/platforms/last-hour.ts'
import { platforms as registered } from '#packages/platforms/registry.ts'
import type { Operations } from '../authentication/permit.ts'
import { type Answering, lightOperations, type RouteParts } from './route-parts.ts'

type Parts = Answering & Pick<RouteParts, 'platforms' | 'lookups' | 'note' | 'clock'>

const HOUR_MS = 60 * 60_000
/** The fractions of failed reads from which a platform counts as degraded, or as down. */
const DEGRADED = 0.1
const FAILING = 0.5

type Abilities = Omit<Platform, 'lastHour'>

/**
 * The operation on platforms, by its path below /v1: the operations that each platform supports, and the results of its
 * jobs, and of this process's lookups, in the last hour.
 */
export function platformOperations(
  { platforms, lookups, note, clock, ...answering }: Parts,
  { extracts }: { extracts: boolean },
): Record<string, Operations> {
  const GET = lightOperations(answering)('read', 200, async () => {
    const minutes = [...((await note.read())?.platforms ?? []), ...lookups.lastHour()]
    const since = clock.now() - HOUR_MS
    const recent = minutes.filter(({ from }) => from > since)
    return abilitiesOf(platforms.searchable, extracts).map((platform) => ({
      ...platform,
      lastHour: lastHourOf(recent.filter((part) => part.platform === platform.platform)),
    }))
  })
  return { '/platforms': { GET } }
}

function abilitiesOf(searchable: readonly string[], extraction: boolean): Abilities[] {
  const always = { metadata: true, speech: true, extraction }
  const social = registered.map(
    ({ name, label, profile, check: { withoutCaptions } }): Abilities => ({
      platform: name,
      name: label,
      ...always,
      captions: withoutCaptions !== true,
      search: searchable.includes(name),
      profile: profile !== undefined,
      lists: name === 'youtube',
    }),
  )
  const files = { ...always, captions: true, search: false, profile: false, lists: false }
  return [...social, { platform: 'direct', name: 'Media files', ...files }]
}

function lastHourOf(parts: readonly PlatformMinutes[]): Platform['lastHour'] {
  const ended = parts.reduce((sum, part) => sum + part.ended, 0)
  const failed = parts.reduce((sum, part) => sum + part.failed, 0)
  if (ended === 0) return { state: 'unknown', succeeded: null }
  const share = failed / ended
  const state = share >= FAILING ? 'failing' : share >= DEGRADED ? 'degraded' : 'ok'
  return { state, succeeded: Math.round((1 - share) * 100) / 100 }
}
