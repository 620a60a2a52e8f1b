import type { RequestHandler } from 'express'
import { keyRequestOf } from '#packages/accounts/keys/key-request.ts'
import type { Keys } from '#packages/accounts/keys/keys.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Answers } from '../answers/answers.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, metadataOf, pathParameter } from '../requests/request-context.ts'

type Parts = { ownKeys: Keys; answers: Answers; clock: Clock }

/** GET /v1/keys: keys that are not revoked, oldest first. */
export const listKeys =
  ({ ownKeys, answers }: Parts): RequestHandler =>
  async (_request, response) =>
    answers.json(response, 200, await ownKeys.list(callerOf(response).orgId))

/** POST /v1/keys */
export const postKey =
  ({ ownKeys, answers, clock }: Parts, { maxBodyBytes }: Pick<IngressOptions, 'maxBodyBytes'>): RequestHandler =>
  async (request, response) => {
    const asked = keyRequestOf(await readJsonBody(request, maxBodyBytes), clock.now())
    answers.json(response, 201, await ownKeys.create(asked, callerOf(response), metadataOf(response)))
  }

/** DELETE /v1/keys/{id}: from the moment this answers, no request with that key is accepted here. */
export const deleteKey =
  ({ ownKeys, answers }: Parts): RequestHandler =>
  async (request, response) => {
    const revoked = await ownKeys.revoke(pathParameter(request, 'id'), callerOf(response), metadataOf(response))
    answers.json(response, 200, revoked)
  }
