import type { Query } from '#packages/foundation/validation/query.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import type { Inclusion } from '#packages/platforms/videos/video-source.ts'
import { inclusions } from '#packages/platforms/videos/video-source.ts'
import { type ChannelType, channelTypes, type ListName } from '#packages/platforms/youtube/lists/list-name.ts'
import { listNameIn, MAX_URL_LENGTH } from './list-name.ts'
import type { ListQuestion, ProfileQuestion, SearchQuestion } from './lookups.ts'

export const MAX_QUERY_LENGTH = 500
const MAX_CURSOR_LENGTH = 6000
const profileLimits = { min: 1, max: 24, fallback: 12 }
export const listLimits = { min: 1, max: 100, fallback: 30 }
const searchLimits = { min: 1, max: 20, fallback: 6 }

/** The lookup that a query requests. Each function throws ServiceError invalid_request. */

export const metadataQuestionOf = (query: Query): { url: string; include: Inclusion[] } => ({
  url: query.requiredText('url', MAX_URL_LENGTH),
  include: query.someOf('include', inclusions),
})

/** @throws ServiceError, also for a cursor without `platform`: a search of all platforms has no pages */
export const searchQuestionOf = (query: Query): SearchQuestion => ({
  q: query.requiredText('q', MAX_QUERY_LENGTH),
  platform: query.oneOf('platform', platformNames),
  limit: query.integer('limit', searchLimits),
  cursor: query.text('cursor', MAX_CURSOR_LENGTH),
})

export const profileQuestionOf = (query: Query): ProfileQuestion => ({
  username: query.text('username', MAX_URL_LENGTH),
  url: query.text('url', MAX_URL_LENGTH),
  limit: query.integer('limit', profileLimits),
  cursor: query.text('cursor', MAX_CURSOR_LENGTH),
})

export const channelQuestionOf = (query: Query): ListQuestion & { type: ChannelType } => ({
  ...listQuestionOf(query, ['url', 'handle', 'id']),
  type: query.oneOf('type', channelTypes) ?? 'videos',
})

export const playlistQuestionOf = (query: Query): ListQuestion => listQuestionOf(query, ['url', 'id'])

const listQuestionOf = (query: Query, fields: readonly ListName['field'][]): ListQuestion => ({
  name: listNameIn(query, fields),
  limit: query.integer('limit', listLimits),
  cursor: query.text('cursor', MAX_CURSOR_LENGTH),
})
