import type { RequestHandler } from 'express'
import type { Key, NewKey, RevokedKey } from '#contracts/generated/http.ts'
import { type Key as KeyState, revoke } from '#packages/domain/key/key.ts'
import { assertBelieved } from '#packages/errors/assert-believed.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { createKey } from '#packages/keys/create-key.ts'
import { foldKey, type KeyRing } from '#packages/keys/key-ring.ts'
import type { KeyUse } from '#packages/keys/key-use.ts'
import { marksOf } from '#packages/keys/secret.ts'
import { appendUntilAnswered, isAnswer } from '#packages/ports/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError } from '#packages/ports/event-store.ts'
import { eventId, type Ids, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { KeyDocument } from '#packages/views/keys.ts'
import type { Answers } from '../answers/answer.ts'
import type { IngressOptions } from '../options.ts'
import { isNewKeyRequest } from '../requests/http-validators.ts'
import { readJsonBody } from '../requests/read-body.ts'
import { validated } from '../requests/validate.ts'
import { callerOf, metadataOf, pathParameter } from '../requests/visit.ts'

export type KeyRoutesPorts = {
  store: EventStore
  views: Views
  clock: Clock
  ids: Ids
  keys: KeyRing
  use: KeyUse
  answers: Answers
}

type Limits = Pick<IngressOptions, 'maxBodyBytes' | 'maxKeys' | 'keysViewTimeoutMs' | 'giveUpAfterMs'>

const iso = (instant: number): string => new Date(instant).toISOString()

/** At most `maxKeys` of them, however many were revoked. */
const activeKeys = (views: Views, orgId: string) => views.find<KeyDocument>('keys', 'listedFor', orgId)

/** GET /v1/keys: active keys, oldest first. */
export const listKeys =
  ({ views, use, answers }: Pick<KeyRoutesPorts, 'views' | 'use' | 'answers'>): RequestHandler =>
  async (_request, response) => {
    const documents = await activeKeys(views, callerOf(response).orgId)
    const used = await use.lastUsedAt(documents.map(({ id }) => id))
    const rows = documents.map(({ id, name, prefix, createdAt }) => {
      return { id, name, prefix, createdAt, lastUsedAt: used.get(id) ?? null } satisfies Key
    })
    const placeOf = ({ createdAt, id }: Key): string => `${createdAt} ${id}`
    rows.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    answers.json(response, 200, rows)
  }

/** The name in a body, trimmed: its characters are counted after that. */
function keyNameOf(body: unknown): string {
  const given = body as { name?: unknown } | null
  const trimmed = typeof given?.name === 'string' ? { ...given, name: given.name.toWellFormed().trim() } : body
  return validated(isNewKeyRequest, trimmed).name
}

/** POST /v1/keys */
export const postKey =
  (ports: KeyRoutesPorts, limits: Limits): RequestHandler =>
  async (request, response) => {
    const { store, views, answers } = ports
    const name = keyNameOf(await readJsonBody(request, limits.maxBodyBytes))
    assertBelieved(store)
    const { orgId } = callerOf(response)
    if ((await activeKeys(views, orgId)).length >= limits.maxKeys) {
      const details = { reason: 'plan', required: 1, remaining: 0 }
      throw new ServiceError('forbidden', `An organization has at most ${limits.maxKeys} keys.`, { details })
    }
    const { keyId, secret, position } = await createKey(ports, name, metadataOf(response)).catch(unavailable)
    await views.waitForCheckpoint('keys', position, limits.keysViewTimeoutMs)
    const made = foldKey(await store.read(streams.key(keyId)))
    const createdAt = iso(made.status === 'none' ? ports.clock.now() : made.createdAt)
    const { prefix } = marksOf(secret)
    const body = { id: keyId, name, prefix, createdAt, lastUsedAt: null, key: secret } satisfies NewKey
    answers.json(response, 201, body)
  }

const unknownKey = (): ServiceError => new ServiceError('not_found', 'There is no such key.')

/** An append that got no answer in time, as where the disk is full: it is not known whether the change was written down. */
function unavailable(error: unknown): never {
  if (isAnswer(error)) throw error
  const message = 'The change could not be written down in time; look at the list of keys before you try again.'
  throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
}

const MAX_ROUNDS = 5

/** DELETE /v1/keys/{id}: from the moment this answers, no request with that key is accepted here. */
export const deleteKey =
  (ports: KeyRoutesPorts, limits: Limits): RequestHandler =>
  async (request, response) => {
    const { store, views, clock, keys, answers } = ports
    const id = pathParameter(request, 'id')
    const stream = streams.key(id)
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const events = await store.read(stream)
      const key = ownKey(foldKey(events), callerOf(response).orgId)
      if (key.status === 'revoked') {
        keys.drop(id)
        await views.waitForCheckpoint('keys', events.at(-1)?.position ?? 0, limits.keysViewTimeoutMs)
        return answers.json(response, 200, { id, name: key.name, revokedAt: iso(key.revokedAt) } satisfies RevokedKey)
      }
      const decided = revoke(key, key.orgId).map((event) => {
        return { ...event, id: eventId(stream, event.type, event.data), metadata: metadataOf(response) }
      })
      try {
        await appendUntilAnswered(ports, stream, events.length - 1, decided, clock.now() + limits.giveUpAfterMs)
      } catch (error) {
        if (!(error instanceof RevisionConflictError)) unavailable(error)
      }
    }
    throw new ServiceError('unavailable', 'The key could not be revoked; try again.', { retryAfterSeconds: 1 })
  }

function ownKey(key: KeyState, orgId: string): Exclude<KeyState, { status: 'none' }> {
  if (key.status === 'none' || key.orgId !== orgId) throw unknownKey()
  return key
}
