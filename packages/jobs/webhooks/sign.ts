import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** The signed parts: the id of the delivery, the instant of the attempt (seconds since 1970), and the body. */
export type Signed = { id: string; timestamp: number; body: string }

/** The headers of Standard Webhooks. @param secrets `whsec_` and base64; one signature for each */
export function signatureHeaders(secrets: readonly string[], { id, timestamp, body }: Signed): Record<string, string> {
  const signature = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature.join(' ') }
}
