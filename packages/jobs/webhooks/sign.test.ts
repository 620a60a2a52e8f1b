import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { signatureHeaders } from './sign.ts'

describe('the signature of a webhook', () => {
  it('is that of the Standard Webhooks example', () => {
    const headers = signatureHeaders(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    })
    expect(headers).to.deep.equal({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('has one part for each secret', () => {
    const signed = { id: 'd1', timestamp: 1, body: '{}' }
    const secrets = ['b25l', 'dHdv']
    const of = (key: string) =>
      `v1,${createHmac('sha256', Buffer.from(key, 'base64')).update('d1.1.{}').digest('base64')}`
    const { 'webhook-signature': signature } = signatureHeaders(
      secrets.map((key) => `whsec_${key}`),
      signed,
    )
    expect(signature).to.equal(secrets.map(of).join(' '))
  })
})
