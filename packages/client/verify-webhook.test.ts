import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { signatureHeaders } from '../jobs/webhooks/sign.ts'
import { VideoIntelligenceError } from './error.ts'
import { verifyWebhook, type WebhookHeaders } from './verify-webhook.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const now = 1_790_000_000_000
const body = '{"type":"ping","timestamp":"2026-09-21T00:00:00.000Z","data":{"webhookId":"w"}}'
const headersOf = (secrets = [secret], timestamp = now / 1000) =>
  signatureHeaders(secrets, { id: 'd1', timestamp, body })

async function refusal(text: string, headers: WebhookHeaders, key = secret): Promise<string> {
  const error = await verifyWebhook(text, headers, key, now).catch((thrown: unknown) => thrown)
  if (!(error instanceof VideoIntelligenceError)) throw new Error(`it was not refused: ${JSON.stringify(error)}`)
  expect(error.code).to.equal('invalid_signature')
  return error.message
}

describe('a message of a webhook', () => {
  it('is verified with the headers of fetch and of Node, even while two secrets sign', async () => {
    const message = JSON.parse(body)
    expect(await verifyWebhook(body, headersOf(), secret, now)).to.deep.equal(message)
    const both = new Headers(headersOf(['whsec_b25l', secret]))
    expect(await verifyWebhook(body, both, secret, now)).to.deep.equal(message)
  })

  it('is refused with another body, another secret, or without a signature', async () => {
    expect(await refusal(body.replace('ping', 'pong'), headersOf())).to.contain('does not fit')
    expect(await refusal(body, headersOf(), 'whsec_b25l')).to.contain('does not fit')
    expect(await refusal(body, {})).to.contain('webhook-id')
    expect(await refusal(body, headersOf(), 'not base64!')).to.contain('whsec_')
  })

  it('is refused if it was signed more than five minutes ago, or without a time', async () => {
    expect(await refusal(body, headersOf([secret], now / 1000 - 301))).to.contain('five minutes')
    const timeless = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`d1.x.${body}`)
      .digest('base64')
    const headers = { 'webhook-id': 'd1', 'webhook-timestamp': 'x', 'webhook-signature': `v1,${timeless}` }
    expect(await refusal(body, headers)).to.contain('five minutes')
  })
})
