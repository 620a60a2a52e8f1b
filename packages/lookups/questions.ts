import { platformNames } from '#packages/platforms/registry.ts'
import type { Inclusion } from '#packages/platforms/videos/video-source.ts'
import { inclusions } from '#packages/platforms/videos/video-source.ts'
import type { Query } from '#packages/validation/query.ts'
import type { ProfileQuestion, SearchWish } from './lookups.ts'

const MAX_URL_LENGTH = 2048
const MAX_QUERY_LENGTH = 500
const profileLimits = { min: 1, max: 24, fallback: 12 }
const searchLimits = { min: 1, max: 20, fallback: 6 }

/** What a query asks of a lookup. Each throws ServiceError invalid_request. */

export const metadataQuestionOf = (query: Query): { url: string; include: Inclusion[] } => ({
  url: query.requiredText('url', MAX_URL_LENGTH),
  include: query.someOf('include', inclusions),
})

export const searchWishOf = (query: Query): SearchWish => ({
  q: query.requiredText('q', MAX_QUERY_LENGTH),
  platform: query.oneOf('platform', platformNames),
  limit: query.integer('limit', searchLimits),
})

export const profileQuestionOf = (query: Query): ProfileQuestion => ({
  username: query.text('username', MAX_URL_LENGTH),
  url: query.text('url', MAX_URL_LENGTH),
  limit: query.integer('limit', profileLimits),
})
