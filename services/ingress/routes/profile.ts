import type { RequestHandler } from 'express'
import { invalidRequest } from '#packages/errors/service-error.ts'
import type { ProfileWish } from '#packages/platforms/platform-definition.ts'
import { usernameOf } from '#packages/platforms/profiles/username-of.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import type { ProfilePlatform } from '#packages/platforms/registry.ts'
import type { Answers } from '../answers/answer.ts'
import type { OutsideReads } from '../outside-reads.ts'
import { Query } from '../requests/query.ts'
import type { Sources } from './sources.ts'

const MAX_URL_LENGTH = 2048
const limits = { min: 1, max: 24, fallback: 12 }

function wishOf(platform: ProfilePlatform, requestUrl: string): ProfileWish {
  const query = new Query(requestUrl)
  const given = { username: query.text('username', MAX_URL_LENGTH), url: query.text('url', MAX_URL_LENGTH) }
  const limit = query.integer('limit', limits)
  const named = usernameOf(platform, given)
  if ('reason' in named) throw invalidRequest({ path: named.path, message: named.reason })
  return { username: named.username, limit }
}

/** GET /v1/{platform}/profile */
export const getProfile =
  (
    { reads, answers, sources }: { reads: OutsideReads; answers: Answers; sources: Pick<Sources, 'profiles'> },
    platform: ProfilePlatform,
  ): RequestHandler =>
  async (request, response) => {
    const wish = wishOf(platform, request.url)
    const what = { key: `${platform} profile ${wish.username} ${wish.limit}`, platform, field: 'username' }
    const read = (reading: Reading) => sources.profiles[platform](wish, reading)
    answers.json(response, 200, await reads.run<unknown>(response, what, read))
  }
