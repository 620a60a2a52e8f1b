import { hasScope, type KeyGrant, type Scope } from '#packages/domain/key/grant.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'

/** @throws ServiceError forbidden: the key may not be used for this */
export function assertScope(grant: KeyGrant, required: Scope): void {
  if (hasScope(grant, required)) return
  const message = `This needs the scope ${required}, which the key does not have.`
  throw new ServiceError('forbidden', message, { details: { reason: 'scope', required } })
}
