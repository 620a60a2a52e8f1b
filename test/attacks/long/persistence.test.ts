/**
 * How often a job asks a host that fails it: six times at most, and within 45 seconds for direct files. A kill -9 does
 * not change that.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'chai'
import { DIRECT_HOST_SECONDS, MAX_HOST_ATTEMPTS } from '#packages/domain/job/retry.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { StrangersSetting } from '#test/doubles/service/strangers-setting.ts'
import { until } from '#test/doubles/service/until.ts'

/** The longest that one attempt may wait for an answer (packages/egress/egress.ts). */
const ANSWER_SECONDS = 15

/** How a host answers a request, by the host's name. */
const hosts: Record<string, (response: ServerResponse) => void> = {
  busy: (response) => void response.writeHead(503).end(),
  gateway: (response) => void response.writeHead(502).end(),
  limits: (response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
  resets: (response) => void response.socket?.destroy(),
  breaks: (response) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write('begun', () => response.destroy())
  },
  silent: () => undefined,
  killed: (response) => void response.writeHead(503).end(),
  'killed-silent': () => undefined,
  // each attempt is redirected once before it fails
  redirects: (response) => {
    const isFirst = response.req.url?.endsWith('/film.mp4')
    response.writeHead(isFirst ? 302 : 503, isFirst ? { location: '/elsewhere.mp4' } : {}).end()
  },
}

describe('hosts of direct files are not hammered', function () {
  this.timeout(480_000)
  const setting = openedForAll(() =>
    StrangersSetting.start((request: IncomingMessage, response) => {
      hosts[String(request.headers.host).split('.')[0] ?? '']?.(response)
    }),
  )
  const client = madeForAll(() => setting.client({ plan: 'pro' }))
  /** The service is killed during the work of these jobs, before all others are posted. */
  let survivors: (readonly [string, string])[]
  before(async () => {
    const names = ['killed', 'killed-silent']
    survivors = await Promise.all(names.map(async (name) => [name, await post(name)] as const))
    for (let kill = 1; kill <= 3; kill++) {
      await until('both have been asked', () => names.every((name) => asked(name) >= kill))
      await setting.service.cut()
      await setting.service.start()
    }
  })

  const asked = (name: string) => setting.hosts.requests.filter((one) => one.startsWith(`${name}.`)).length
  const post = (name: string) => client.enqueue({ url: `https://${name}.example.com/film.mp4`, mode: 'generate' })
  const isAskedSixTimesAtMost = async (name: string, jobId: string) => {
    const { body } = await client.ended(jobId)
    expect(body.error, name).to.have.property('code', 'upstream_error')
    expect(asked(name), name).to.be.within(1, MAX_HOST_ATTEMPTS)
    const history = await setting.history(jobId)
    const first = history.find(({ type }) => type === 'StepStarted')
    const last = history.findLast(({ type }) => type === 'StepStarted')
    const seconds = ((last?.recordedAt ?? 0) - (first?.recordedAt ?? 0)) / 1000
    expect(seconds, name).to.be.at.most(DIRECT_HOST_SECONDS)
    return { history, seconds }
  }

  it('however they fail: by statuses, connections or silence, each by itself', async () => {
    const names = Object.keys(hosts).filter((name) => !/^(?:killed|redirects)/.test(name))
    const jobs = await Promise.all(names.map(async (name) => [name, await post(name)] as const))
    for (const [name, jobId] of jobs) {
      const { seconds } = await isAskedSixTimesAtMost(name, jobId)
      if (name === 'silent') expect(asked(name)).to.be.at.most(DIRECT_HOST_SECONDS / ANSWER_SECONDS + 1)
      else {
        // A busy machine makes fewer attempts in that time.
        expect(asked(name), name).to.be.at.least(MAX_HOST_ATTEMPTS - 2)
        expect(seconds, name).to.be.above(DIRECT_HOST_SECONDS / 3)
      }
    }
  })

  it('when a redirect comes first: each request counts', async () => {
    await isAskedSixTimesAtMost('redirects', await post('redirects'))
    expect(asked('redirects')).to.be.at.least(MAX_HOST_ATTEMPTS - 2)
  })

  it('when the service is killed with kill -9: the count continues', async () => {
    for (const [name, jobId] of survivors) await isAskedSixTimesAtMost(name, jobId)
    expect(await client.credits()).to.equal(2050)
  })
})
