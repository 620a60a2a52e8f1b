import type { RequestHandler, Response } from 'express'
import { Query, queryIn } from '#packages/foundation/validation/query.ts'
import type { Asker } from '#packages/platforms/lookups/asker.ts'
import {
  channelQuestionOf,
  metadataQuestionOf,
  playlistQuestionOf,
  profileQuestionOf,
  searchQuestionOf,
} from '#packages/platforms/lookups/questions.ts'
import { profilePlatforms } from '#packages/platforms/registry.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Headers } from '../answers/answers.ts'
import type { Operation, Operations } from '../authentication/permit.ts'
import type { Limit } from '../limits/rate-limits.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { askerOf, callerOf, contextOf } from '../requests/request-context.ts'
import type { Answering, RouteParts } from './route-parts.ts'

type Parts = Answering & Pick<RouteParts, 'lookups' | 'estimates' | 'loop' | 'telemetry'>

/** An answer, with its headers. */
type Found = { body: unknown; headers?: Headers }

/** The operations that read outside hosts for free, by path below /v1. */
export function lookupOperations(
  { lookups, estimates, loop, telemetry, answers, rates }: Parts,
  { maxBodyBytes }: Pick<IngressOptions, 'maxBodyBytes'>,
): Record<string, Operations> {
  const operation = (limit: Limit, answer: RequestHandler): Operation => ({
    scope: 'read',
    limit,
    answer: asksOutside(telemetry, answer),
  })
  const reads = (limit: Limit, find: (url: string, asker: Asker) => Promise<Found>): Operations => ({
    GET: operation(limit, async (request, response) => {
      const { body, headers } = await find(request.url, askerOf(response))
      answers.json(response, 200, body, headers)
    }),
  })
  const profiles = profilePlatforms.map(({ name }): [string, Operations] => [
    `/${name}/profile`,
    // A `Link` leads to the next page of its videos if the platform has one.
    reads(rates.light, async (url, asker) => {
      const { profile, nextCursor } = await lookups.profile(asker, name, profileQuestionOf(new Query(url)))
      return { body: profile, headers: nextLink(url, nextCursor) }
    }),
  ])
  const estimate = async (body: unknown, response: Response): Promise<unknown> => {
    loop.note(contextOf(response).section)
    return estimates.estimate(body, { ...callerOf(response), ...askerOf(response) })
  }
  return {
    // `X-Metadata-Incomplete` names the fields that could not be read.
    '/metadata': reads(rates.light, async (asked, asker) => {
      const { url, include } = metadataQuestionOf(new Query(asked))
      const { metadata, missing } = await lookups.metadata(asker, url, include)
      return { body: metadata, headers: incomplete('X-Metadata-Incomplete', missing) }
    }),
    // `X-Search-Incomplete` names the platforms that could not be searched. A search of one platform has a `Link`.
    '/search': reads(rates.light, async (url, asker) => {
      const found = await lookups.search(asker, searchQuestionOf(new Query(url)))
      const headers = { ...incomplete('X-Search-Incomplete', found.incomplete), ...nextLink(url, found.nextCursor) }
      return { body: found.results, headers }
    }),
    ...Object.fromEntries(profiles),
    '/youtube/channel': reads(rates.lists, async (url, asker) => {
      const body = await lookups.channel(asker, channelQuestionOf(new Query(url)))
      return { body, headers: nextLink(url, body.nextCursor) }
    }),
    '/youtube/playlist': reads(rates.lists, async (url, asker) => {
      const body = await lookups.playlist(asker, playlistQuestionOf(new Query(url)))
      return { body, headers: nextLink(url, body.nextCursor) }
    }),
    '/estimate': {
      POST: operation(
        rates.light,
        answers.with(200, async (request, response) => estimate(await readJsonBody(request, maxBodyBytes), response)),
      ),
    },
  }
}

/** The header that links to the next page of an answer (RFC 8288): the same request with the cursor of that page. */
function nextLink(requestUrl: string, nextCursor: string | null): Headers {
  if (nextCursor === null) return {}
  const query = new URLSearchParams(queryIn(requestUrl))
  query.set('cursor', nextCursor)
  return { Link: `<?${query}>; rel="next"` }
}

const incomplete = (header: string, missing: readonly string[]): Headers =>
  missing.length > 0 ? { [header]: missing.join(', ') } : {}

/** Counts the request, and makes its calls spans below that of the request. Other routes have no such spans. */
const asksOutside =
  (telemetry: Telemetry, answer: RequestHandler): RequestHandler =>
  (request, response, next) => {
    const context = contextOf(response)
    context.isFreeRead = true
    return telemetry.isExported
      ? telemetry.within(context.traceparent, () => answer(request, response, next))
      : answer(request, response, next)
  }
