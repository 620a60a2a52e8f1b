import { expect } from 'chai'
import type { AttemptResult } from '#packages/domain/webhook/delivery.ts'
import { Unanswered } from '#packages/foundation/readiness/unanswered.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { watchedSender } from './watched-sender.ts'

const resultOf = (of: Pick<AttemptResult, 'status' | 'failure'>): AttemptResult => ({
  ...of,
  milliseconds: 5,
  answer: '',
  retryAfterSeconds: null,
})

describe('requests to receivers, as an operator sees them', () => {
  it('are spans with host and exit, and one warning for all if several in a row get no answer', async () => {
    const telemetry = new RecordingTelemetry()
    const health = new Unanswered(new ManualClock(), { code: 'webhooks_unanswered', message: 'Nobody', inARow: 2 })
    const results: AttemptResult[] = []
    const send = watchedSender(async () => results.shift() as AttemptResult, { telemetry, health, via: 'proxy' })
    const { signal } = new AbortController()
    const request = { orgId: 'acme', headers: {}, body: 'hidden', attempt: 1, signal }
    const codesAfter = async (host: string, of: Pick<AttemptResult, 'status' | 'failure'>) => {
      results.push(resultOf(of))
      await telemetry.within(newTraceparent(true), () => send({ ...request, url: `https://${host}/hidden?hidden=1` }))
      return health.warnings.map(({ code }) => code)
    }
    expect(await codesAfter('a.example', { status: null, failure: 'timeout' })).to.deep.equal([])
    expect(await codesAfter('b.example', { status: null, failure: 'refused_address' })).to.deep.equal([])
    expect(await codesAfter('c.example', { status: null, failure: 'unreachable' })).to.deep.equal([
      'webhooks_unanswered',
    ])
    expect(health.warnings[0]?.message).to.not.contain('example')
    expect(await codesAfter('a.example', { status: 500, failure: null }), 'an answer').to.deep.equal([])
    const told = telemetry.named('POST').map(({ kind, attributes }) => [kind, attributes])
    const of = (host: string, status: number | undefined, error: string) => [
      'client',
      {
        'http.request.method': 'POST',
        'server.address': host,
        'video.egress.route': 'proxy',
        'http.response.status_code': status,
        'error.type': error,
      },
    ]
    expect(told).to.deep.equal([
      of('a.example', undefined, 'timeout'),
      of('b.example', undefined, 'refused_address'),
      of('c.example', undefined, 'unreachable'),
      of('a.example', 500, '500'),
    ])
    expect(JSON.stringify(telemetry.spans)).to.not.contain('hidden')
  })
})
