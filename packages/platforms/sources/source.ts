import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { listNameIn, MAX_URL_LENGTH, namesNo } from '#packages/platforms/lookups/list-name.ts'
import { MAX_QUERY_LENGTH } from '#packages/platforms/lookups/questions.ts'
import { usernameOf } from '#packages/platforms/profiles/username-of.ts'
import {
  type ProfilePlatform,
  platformNames,
  profilePlatforms,
  type SocialPlatform,
} from '#packages/platforms/registry.ts'
import { type ChannelType, channelPath, channelTypes, playlistOf } from '#packages/platforms/youtube/lists/list-name.ts'
import { sha256 } from '#packages/ports/ids.ts'

/**
 * Where videos are listed, in canonical spelling: equal sources are equal as JSON. `parseSource` accepts it again.
 * `list`: which list of a channel. `platform`: null for all searchable platforms.
 */
export type Source =
  | { type: 'channel'; url: string; list: ChannelType }
  | { type: 'playlist'; url: string }
  | { type: 'profile'; platform: ProfilePlatform; username: string }
  | { type: 'search'; q: string; platform: SocialPlatform | null }

export const sourceTypes = ['channel', 'playlist', 'profile', 'search'] as const

const YOUTUBE = 'https://www.youtube.com'
const WITHIN = 'source.'

/**
 * The source in the `source` field of a request body, with the parameters of the GET routes.
 * @throws ServiceError invalid_request, which names the field within `source`
 */
export function parseSource(body: unknown): Source {
  const query = new Query(new URLSearchParams(textsOf(body)))
  switch (query.oneOf('source.type', sourceTypes)) {
    case 'channel':
      return channelOf(query)
    case 'playlist':
      return playlistSourceOf(query)
    case 'profile':
      return profileOf(query)
    case 'search':
      return {
        type: 'search',
        q: query.requiredText('source.q', MAX_QUERY_LENGTH),
        platform: query.oneOf('source.platform', platformNames) ?? null,
      }
    case undefined:
      throw invalidRequest({ path: 'source.type', message: `must be one of ${sourceTypes.join(', ')}` })
  }
}

/** The fields and their names in errors, such as `source.url`. Null fields count as missing. */
function textsOf(body: unknown): [string, string][] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest({ path: 'source', message: 'must be an object with a type' })
  return Object.entries(body).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return []
    if (typeof value !== 'string') throw invalidRequest({ path: `source.${name}`, message: 'must be a text' })
    return [[`source.${name}`, value]]
  })
}

function channelOf(query: Query): Source {
  const name = listNameIn(query, ['url', 'handle', 'id'], WITHIN)
  const path = channelPath(name)
  if (path === undefined) throw namesNo('a channel', name, WITHIN)
  return { type: 'channel', url: `${YOUTUBE}/${path}`, list: query.oneOf('source.list', channelTypes) ?? 'videos' }
}

function playlistSourceOf(query: Query): Source {
  const name = listNameIn(query, ['url', 'id'], WITHIN)
  const id = playlistOf(name)
  if (id === undefined) throw namesNo('a public playlist', name, WITHIN)
  return { type: 'playlist', url: `${YOUTUBE}/playlist?list=${id}` }
}

function profileOf(query: Query): Source {
  const names = profilePlatforms.map(({ name }) => name)
  const platform = query.oneOf('source.platform', names)
  if (platform === undefined)
    throw invalidRequest({ path: 'source.platform', message: `must be one of ${names.join(', ')}` })
  const given = {
    username: query.text('source.username', MAX_URL_LENGTH),
    url: query.text('source.url', MAX_URL_LENGTH),
  }
  const named = usernameOf(platform, given)
  if ('reason' in named) throw invalidRequest({ path: `source.${named.path}`, message: named.reason })
  return { type: 'profile', platform, username: named.username }
}

/** A number that spreads looks at sources over time. It is the same for all who watch the source. */
export const offsetOf = (source: Source): number => Number.parseInt(sha256(JSON.stringify(source)).slice(0, 8), 16)
