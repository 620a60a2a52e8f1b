import { allScopes } from '#packages/domain/key/grant.ts'
import { invalidRequest } from '#packages/errors/service-error.ts'
import { type KeyRequest, keyRequestOf } from '#packages/keys/key-request.ts'

/** The fields of the form, as they were typed. */
export type KeyFields = { name: string; scopes: readonly string[]; monthlyCredits: string; expiresAt: string }

export const emptyFields: KeyFields = { name: '', scopes: allScopes, monthlyCredits: '', expiresAt: '' }

export const fieldsOf = (form: URLSearchParams): KeyFields => ({
  name: form.get('name') ?? '',
  scopes: form.getAll('scopes'),
  monthlyCredits: (form.get('monthlyCredits') ?? '').trim(),
  expiresAt: form.get('expiresAt') ?? '',
})

/**
 * The key that the form asks for. A field that is empty sets no limit, nor do all scopes.
 * @param now milliseconds since 1970
 * @throws ServiceError invalid_request, by the names of the fields
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

/** A key works until the end of its last day (UTC). */
const endOf = (day: string): string => `${day}T23:59:59Z`
