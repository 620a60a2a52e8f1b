import type { RequestHandler } from 'express'
import { invalidRequest } from '#packages/errors/service-error.ts'
import type { Reading } from '#packages/platforms/platform.ts'
import { type ProfilePlatform, usernameOf } from '#packages/platforms/urls/profile-name.ts'
import type { Answers } from '../answers/answer.ts'
import type { OutsideReads } from '../outside-reads.ts'
import { Query } from '../requests/query.ts'

const MAX_URL_LENGTH = 2048
const limits = { min: 1, max: 24, fallback: 12 }

type Wish = { username: string; limit: number }

function wishOf(platform: ProfilePlatform, requestUrl: string): Wish {
  const query = new Query(requestUrl)
  const given = { username: query.text('username', MAX_URL_LENGTH), url: query.text('url', MAX_URL_LENGTH) }
  const limit = query.integer('limit', limits)
  const named = usernameOf(platform, given)
  if ('reason' in named) throw invalidRequest({ path: named.path, message: named.reason })
  return { username: named.username, limit }
}

/** GET /v1/tiktok/profile and GET /v1/instagram/profile */
export const getProfile =
  (
    { reads, answers }: { reads: OutsideReads; answers: Answers },
    platform: ProfilePlatform,
    read: (wish: Wish, reading: Reading) => Promise<unknown>,
  ): RequestHandler =>
  async (request, response) => {
    const wish = wishOf(platform, request.url)
    const what = { key: `${platform} profile ${wish.username} ${wish.limit}`, platform, field: 'username' }
    answers.json(response, 200, await reads.run(response, what, (reading) => read(wish, reading)))
  }
