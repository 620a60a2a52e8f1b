import { createServer } from 'node:http'
import { expect } from 'chai'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'

/** An address where no server ever listens. A port of this machine that was given up may soon be another program's. */
const NOWHERE = 'http://127.0.0.1:9'

/** Runs jobs of a service that exports to such an endpoint, and stops it. */
async function runAndStop(endpoint: string): Promise<void> {
  await using setting = await Setting.start({
    media: ['captioned.mp4'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_LOGS_EXPORTER: 'otlp' },
  })
  const me = await setting.client({ plan: 'pro' })
  const good = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
  const bad = await me.run({ url: at('/nothing.mp4'), mode: 'native' })
  expect([good.body.status, bad.body.status]).to.deep.equal(['completed', 'failed'])
  expect(await me.get('/ready')).to.include({ status: 200 })
  await setting.closeBackDoor()
  const { code, signal, seconds } = await setting.service.end('SIGTERM')
  expect([code, signal]).to.deep.equal([0, null])
  expect(seconds, 'two are waited for what was not sent').to.be.below(20)
}

describe('an endpoint of telemetry', function () {
  this.timeout(180_000)

  // Both at once, because most of it is waiting.
  it('without a listener, or without answers, changes no outcome, no exit status, and no stop beyond its bound', async () => {
    await using silent = await onLoopback(createServer(() => {}))
    await Promise.all([runAndStop(NOWHERE), runAndStop(`http://127.0.0.1:${silent.port}`)])
  })
})
