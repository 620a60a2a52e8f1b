import type { RequestHandler } from 'express'
import { Query } from '#packages/foundation/validation/query.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import { channelQuestionOf, playlistQuestionOf } from '#packages/platforms/lookups/questions.ts'
import type { Answers } from '../answers/answers.ts'
import { nextLink } from '../answers/next-link.ts'
import { askerOf } from '../requests/request-context.ts'

type Parts = { lookups: Lookups; answers: Answers }

/** GET /v1/youtube/channel */
export const getChannel =
  ({ lookups, answers }: Parts): RequestHandler =>
  async (request, response) => {
    const channel = await lookups.channel(askerOf(response), channelQuestionOf(new Query(request.url)))
    answers.json(response, 200, channel, nextLink(request.url, channel.nextCursor))
  }

/** GET /v1/youtube/playlist */
export const getPlaylist =
  ({ lookups, answers }: Parts): RequestHandler =>
  async (request, response) => {
    const playlist = await lookups.playlist(askerOf(response), playlistQuestionOf(new Query(request.url)))
    answers.json(response, 200, playlist, nextLink(request.url, playlist.nextCursor))
  }
