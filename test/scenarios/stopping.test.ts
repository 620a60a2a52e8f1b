/**
 * SIGTERM: the service drains, and the jobs in flight continue after the next start. SIGINT does the same:
 * npm-start.test.ts.
 */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

describe('stopping', function () {
  this.timeout(120_000)
  const setting = openedForAll(() =>
    Setting.start({ apart: true, media: ['captioned.mp4', 'speech.mp4'], files: { '/held.mp4': file } }),
  )
  /** While true, the world answers no request. */
  let held = false
  let waiting = 0

  const file = (_: unknown, response: ServerResponse): void => {
    if (!held) return void response.writeHead(302, { location: '/captioned.mp4' }).end()
    waiting += 1
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1e6 }).write('\0\0\0\x18ftypmp42')
  }

  it('ends it with 0, soon; the jobs in flight complete after the restart', async () => {
    const { service, speech } = setting
    if (!speech) throw new Error('there is no endpoint')
    const me = await setting.client()
    held = true
    waiting = 0
    speech.behaviour.hang = true
    const heard = speech.requests.length
    const held1 = await me.enqueue({ url: at('/held.mp4'), mode: 'native' })
    const spoken = await me.enqueue({ url: at('/speech.mp4'), mode: 'generate' })
    await until('both are at work', () => waiting > 0 && speech.requests.length > heard)
    const polls = [held1, spoken].map((jobId) => me.get(`/v1/transcript/${jobId}`, { prefer: 'wait=60' }))
    const last = await me.enqueue({ url: at('/captioned.mp4'), mode: 'native' })

    const { code, seconds } = await service.end('SIGTERM')
    expect(code).to.equal(0)
    // On a busy machine it takes longer.
    expect(seconds).to.be.below(30)
    expect((await Promise.all(polls)).map(({ body }) => body.status)).to.deep.equal(['queued', 'queued'])
    await until('nothing that it started runs any more', () => service.orphans === 0)
    for (const jobId of [held1, spoken]) {
      const history = await setting.history(jobId)
      expect(history.at(-1)).to.have.property('type', 'StepFailed')
      expect(history.at(-1)?.data).to.deep.include({ code: 'released', retryAfterSeconds: 0 })
    }

    held = false
    speech.behaviour.hang = false
    await service.start()
    const ends = await Promise.all([held1, spoken, last].map((jobId) => me.ended(jobId)))
    expect(ends.map(({ body }) => body.status)).to.deep.equal(['completed', 'completed', 'completed'])
    expect(await me.credits()).to.equal(43)
  })

  it('adds up', () => assertAddsUp(setting))

  it('ends it with 0 before it has started, too', async () => {
    const { service } = setting
    expect(await service.end('SIGINT')).to.include({ code: 0 })
    const from = service.output.length
    service.spawn()
    await until('it has begun to work', () => service.output.slice(from).includes('"msg":"caught up"'))
    expect(await service.end('SIGTERM')).to.include({ code: 0 })
  })
})
