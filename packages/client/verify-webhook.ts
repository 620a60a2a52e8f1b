import type {
  WebhookBatchMessage,
  WebhookCreditsMessage,
  WebhookJobMessage,
  WebhookPingMessage,
  WebhookWatchMessage,
} from '../../contracts/generated/http.ts'
import { VideoIntelligenceError } from './error.ts'

/** What a webhook is sent; `type` says which it is. */
export type WebhookMessage =
  | WebhookJobMessage
  | WebhookCreditsMessage
  | WebhookWatchMessage
  | WebhookBatchMessage
  | WebhookPingMessage

/** Headers as `fetch` or Node's http has them, with names in lower case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>

/** How far the clocks of the two sides may be apart. */
const TOLERANCE_SECONDS = 300

/**
 * Checks that a message comes from the service (Standard Webhooks, HMAC-SHA256) and is not an old one sent again.
 * @param body the text of the request as it came, before anything has parsed it
 * @param secret `whsec_…`, as it was shown when the webhook was made
 * @param now the time, milliseconds since 1970
 * @throws VideoIntelligenceError `invalid_signature`
 */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secret: string,
  now: number = Date.now(),
): Promise<WebhookMessage> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value === 'string') return value
    throw invalid(`The message has no header ${name}.`)
  }
  const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw invalid('The message was signed more than five minutes ago, or the clocks differ.')
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const key = await keyOf(secret)
  for (const signature of signatures.split(' ')) {
    const tag = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined
    if (tag && (await crypto.subtle.verify('HMAC', key, tag, signed))) return JSON.parse(body) as WebhookMessage
  }
  throw invalid('The signature does not fit: the body was changed, or the secret is another.')
}

const invalid = (message: string): VideoIntelligenceError =>
  new VideoIntelligenceError('invalid_signature', message, { status: 0 })

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0) throw invalid('The secret is not one of a webhook: whsec_ and base64.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** The bytes of base64; undefined where it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
