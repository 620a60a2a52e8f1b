import { type KeyRequest, keyRequestOf } from '#packages/accounts/keys/key-request.ts'
import type { OwnKey } from '#packages/accounts/keys/keys.ts'
import { allScopes, type KeyGrant } from '#packages/domain/key/grant.ts'
import type { KeyChange } from '#packages/domain/key/key.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { isoOf } from '#packages/ports/clock.ts'

/** The fields of the form, as typed. */
export type KeyFields = { name: string; scopes: readonly string[]; monthlyCredits: string; expiresAt: string }

/** By default a new key may run jobs and read. */
export const emptyFields: KeyFields = { name: '', scopes: ['read', 'jobs'], monthlyCredits: '', expiresAt: '' }

export const fieldsOf = (form: URLSearchParams): KeyFields => ({
  name: form.get('name') ?? '',
  scopes: form.getAll('scopes'),
  monthlyCredits: (form.get('monthlyCredits') ?? '').trim(),
  expiresAt: form.get('expiresAt') ?? '',
})

/**
 * The key that the form requests. An empty field sets no limit, and neither do all scopes together.
 * @param now milliseconds since 1970
 * @throws ServiceError invalid_request, by field name
 */
export function requestOf({ name, scopes, monthlyCredits, expiresAt }: KeyFields, now: number): KeyRequest {
  if (name.trim() === '') throw invalidRequest({ path: 'name', message: 'is required' })
  if (scopes.length === 0) throw invalidRequest({ path: 'scopes', message: 'must be at least one' })
  return keyRequestOf(
    {
      name,
      ...(!allScopes.every((scope) => scopes.includes(scope)) && { scopes }),
      ...(monthlyCredits !== '' && { monthlyCredits: Number(monthlyCredits) }),
      ...(expiresAt !== '' && { expiresAt: endOf(expiresAt) }),
    },
    now,
  )
}

/** A key as the form shows it. */
export const fieldsOfKey = ({ name, grant }: OwnKey): KeyFields => ({
  name,
  scopes: [],
  monthlyCredits: grant.monthlyCredits?.toString() ?? '',
  expiresAt: lastDayOf(grant) ?? '',
})

/**
 * The changes to a key that the form requests. If the day is unchanged, the exact expiry is kept, because the API may
 * have set an hour. That holds for an expiry in the past too.
 * @throws ServiceError invalid_request, by field name
 */
export function changeOf({ expiresAt, ...fields }: KeyFields, { grant }: OwnKey, now: number): KeyChange {
  const isSameDay = expiresAt === lastDayOf(grant)
  const asked = requestOf({ ...fields, scopes: allScopes, expiresAt: isSameDay ? '' : expiresAt }, now)
  return {
    name: asked.name,
    monthlyCredits: asked.grant.monthlyCredits,
    expiresAt: isSameDay ? grant.expiresAt : asked.grant.expiresAt,
  }
}

const lastDayOf = ({ expiresAt }: KeyGrant): string | undefined =>
  expiresAt === null ? undefined : isoOf(expiresAt).slice(0, 10)

/** A key works until the end of its last day (UTC). */
const endOf = (day: string): string => `${day}T23:59:59Z`
