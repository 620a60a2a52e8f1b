import { createHash } from 'node:crypto'
import { v5 } from 'uuid'

/** Chance, as a port, so that a run can be repeated from its seed. */
export interface Ids {
  /** A fresh UUID. */
  uuid(): string
  /** A number in [0, 1), for jitter. */
  random(): number
}

/** Namespace of every name-based id of this service. */
const NAMESPACE = '6f1e8f0a-3f5b-5c0e-9d53-7a3b2f0c9e11'

/** SHA-256 in hexadecimal. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A UUID that is a function of its parts (UUID version 5). */
export const uuidFrom = (...parts: readonly (string | number)[]): string => v5(JSON.stringify(parts), NAMESPACE)

/**
 * The id of an event that follows from its stream, the logical step it records and its data: a repeat of the same
 * decision has the same id, another decision another.
 */
export const eventId = (stream: string, step: string, data: unknown): string =>
  uuidFrom(stream, step, sha256(JSON.stringify(data)))

/** The id of a key, found from the secret alone. */
export const keyIdOf = (secretSha256: string): string => uuidFrom('key', secretSha256)

export const streams = {
  organization: (orgId: string): string => `organization-${orgId}`,
  key: (keyId: string): string => `key-${keyId}`,
  credits: (orgId: string): string => `credits-${orgId}`,
  job: (jobId: string): string => `job-${jobId}`,
}
