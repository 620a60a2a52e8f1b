import type { IncomingHttpHeaders } from 'node:http'
import type { Request, Response } from 'express'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { KeyUse } from '#packages/keys/key-use.ts'
import { contextOf } from '../requests/request-context.ts'
import { presentedKey } from './presented-key.ts'

/** How the key of a request is found, and the message for a caller without a valid key. */
export type KeyPlace = { keyOf(headers: IncomingHttpHeaders): string | undefined; wanted: string }

const inHeader: KeyPlace = { keyOf: presentedKey, wanted: 'A valid API key is required in the header x-api-key.' }

/** Lets a request pass that was admitted with a known key, at the place for it. @throws ServiceError unauthorized */
export const authenticate =
  ({ use }: { use: KeyUse }, { keyOf, wanted }: KeyPlace = inHeader) =>
  (request: Request, response: Response): void => {
    const context = contextOf(response)
    const { caller } = context
    if (caller === undefined || keyOf(request.headers) === undefined) throw new ServiceError('unauthorized', wanted)
    context.orgId = caller.orgId
    use.note(caller.keyId)
  }
