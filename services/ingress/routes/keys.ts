import type { RequestHandler } from 'express'
import type { Keys } from '#packages/keys/keys.ts'
import { isNewKeyRequest } from '#packages/validation/body-validators.ts'
import { validated } from '#packages/validation/validated.ts'
import type { Answers } from '../answers/answers.ts'
import type { IngressOptions } from '../options.ts'
import { readJsonBody } from '../requests/read-json-body.ts'
import { callerOf, metadataOf, pathParameter } from '../requests/request-context.ts'

type Parts = { ownKeys: Keys; answers: Answers }

/** GET /v1/keys: active keys, oldest first. */
export const listKeys =
  ({ ownKeys, answers }: Parts): RequestHandler =>
  async (_request, response) =>
    answers.json(response, 200, await ownKeys.list(callerOf(response).orgId))

/** The name in a body, trimmed. Its characters are counted after trimming. */
function keyNameOf(body: unknown): string {
  const given = body as { name?: unknown } | null
  const trimmed = typeof given?.name === 'string' ? { ...given, name: given.name.toWellFormed().trim() } : body
  return validated(isNewKeyRequest, trimmed).name
}

/** POST /v1/keys */
export const postKey =
  ({ ownKeys, answers }: Parts, { maxBodyBytes }: Pick<IngressOptions, 'maxBodyBytes'>): RequestHandler =>
  async (request, response) => {
    const name = keyNameOf(await readJsonBody(request, maxBodyBytes))
    answers.json(response, 201, await ownKeys.create(name, metadataOf(response)))
  }

/** DELETE /v1/keys/{id}: from the moment this answers, no request with that key is accepted here. */
export const deleteKey =
  ({ ownKeys, answers }: Parts): RequestHandler =>
  async (request, response) =>
    answers.json(response, 200, await ownKeys.revoke(pathParameter(request, 'id'), metadataOf(response)))
