import { hash } from 'node:crypto'

/** Random ids and numbers. This is a port, so that a run can be repeated from its seed. */
export interface Ids {
  /** A fresh UUID. It may reveal when it was made, so do not use it as a secret. */
  uuid(): string
  /** A number in [0, 1), for jitter. */
  random(): number
}

/** The namespace of all name-based ids of this service. */
const NAMESPACE = Buffer.from('6f1e8f0a3f5b5c0e9d537a3b2f0c9e11', 'hex')

/** A buffer that nearly every name fits into. Every call reuses it, and nothing in it outlives a call. */
const usual = Buffer.concat([NAMESPACE], 4096)

/** The most bytes of UTF-8 for one unit of a JavaScript string. */
const MAX_BYTES_OF_UNIT = 3

/** The namespace followed by the name. */
function named(name: string): Buffer {
  const isUsual = NAMESPACE.length + name.length * MAX_BYTES_OF_UNIT <= usual.length
  if (!isUsual) return Buffer.concat([NAMESPACE, Buffer.from(name)])
  return usual.subarray(0, NAMESPACE.length + usual.write(name, NAMESPACE.length))
}

/** Maps a hexadecimal digit of the digest to the same digit with the two variant bits set. */
const variants = '89ab'.repeat(4)

/** SHA-256 in hexadecimal. */
export const sha256 = (text: string): string => hash('sha256', text)

/**
 * A UUID that depends only on its parts: version 5 of RFC 9562, with SHA-1 of the namespace and the parts as JSON.
 * Implemented here because every event needs one, and the npm package takes several times as long.
 */
export function uuidFrom(...parts: readonly (string | number)[]): string {
  const digest = hash('sha1', named(JSON.stringify(parts)))
  // The version and the variant replace six bits.
  const variant = variants.charAt(Number.parseInt(digest.charAt(16), 16))
  const [first, second, third] = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`]
  return `${first}-${second}-${third}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

/**
 * The id of an event, computed from its stream, the logical step it records and its data. A repeat of the same decision
 * has the same id; another decision has another.
 */
export const eventId = (stream: string, step: string, data: unknown): string =>
  eventIdOfJson(stream, step, JSON.stringify(data))

/** The id of an event, computed from its data as JSON. */
export const eventIdOfJson = (stream: string, step: string, json: string): string =>
  uuidFrom(stream, step, sha256(json))

/** The id of a key, computed only from the hash of its secret. */
export const keyIdOf = (secretSha256: string): string => uuidFrom('key', secretSha256)

/**
 * The id of a webhook for a URL that jobs name, computed from organization and URL: the same input gives the same
 * webhook.
 */
export const urlWebhookIdOf = (orgId: string, url: string): string => uuidFrom('url-webhook', orgId, url)

/**
 * The id of a delivery, computed from the webhook and the subject.
 * @param about the job that has ended; for `credits.low` the event that last added credits
 */
export const deliveryIdOf = (webhookId: string, about: string): string => uuidFrom('delivery', webhookId, about)

/** The id of a job of a batch, computed from its item and its attempt. So requesting it again changes nothing. */
export const itemJobIdOf = (batchId: string, { item, attempt }: { item: number; attempt: number }): string =>
  uuidFrom('batch', batchId, item, attempt)

/** The id of the job for a video that a watch has found. Requesting it again changes nothing. */
export const watchJobIdOf = (watchId: string, videoId: string): string => uuidFrom('watch', watchId, videoId)

export const streams = {
  organization: (orgId: string): string => `organization-${orgId}`,
  key: (keyId: string): string => `key-${keyId}`,
  credits: (orgId: string): string => `credits-${orgId}`,
  job: (jobId: string): string => `job-${jobId}`,
  batch: (batchId: string): string => `batch-${batchId}`,
  watch: (watchId: string): string => `watch-${watchId}`,
  webhook: (webhookId: string): string => `webhook-${webhookId}`,
  delivery: (deliveryId: string): string => `delivery-${deliveryId}`,
  requests: (orgId: string): string => `requests-${orgId}`,
  /** @param id of the forgotten job or organization; for retention, a UUID of the organization and the first stream */
  removal: (id: string): string => `removal-${id}`,
}
