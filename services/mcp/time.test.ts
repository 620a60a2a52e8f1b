import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { createSecret } from '#packages/keys/secret.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { type McpHarness, startMcpHarness, structureOf, textOf, ways } from '#test/doubles/mcp/mcp.harness.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

/** Nobody is held longer, on however busy a machine. When exactly an answer is made, turn.test.ts shows with its own clock. */
const FAR_TOO_LONG_SECONDS = 20

// The others differ in nothing that takes time.
for (const way of ways.filter(({ transport, mode }) => (transport === 'http') === (mode === 'auto'))) {
  describe(`the time to answer over ${way.transport}, protocol ${way.mode === 'auto' ? 'of 2026' : 'of 2025'}`, function () {
    this.timeout(60_000)
    // Polls take two seconds: so one of them is told before the time is over, unless the machine is busy.
    const answerSeconds = 5
    let stage: McpHarness
    before(async () => {
      stage = await startMcpHarness({ answerSeconds })
    })
    after(() => stage[Symbol.asyncDispose]())

    it('is kept with and without progress; the repeat resumes the job, and is charged once', async () => {
      const host = await stage.connect(way)
      // A process of its own may still be starting.
      await host.listTools()
      const credits = await stage.acme.credits()
      const given = { name: 'get_video_transcript', arguments: { url, mode: 'native' } }
      const stages: string[] = []
      const jobIds = new Set<string>()
      const wasPolled = () => stages.some((each) => each.includes(' is running, '))
      let options: object = {}
      for (let calls = 0; calls < 2 || !wasPolled(); calls++) {
        const from = performance.now()
        const result = await host.callTool(given, options)
        expect((performance.now() - from) / 1000).to.be.within(1, FAR_TOO_LONG_SECONDS)
        options = { onprogress: ({ message = '' }) => void stages.push(message) }
        const { status, jobId, next } = structureOf(result)
        expect([status, next, result.isError === true]).to.deep.equal(['queued', [], false])
        expect(textOf(result)).to.contain(jobId).and.contain('Call again with the same arguments')
        jobIds.add(jobId)
      }
      const [jobId = ''] = jobIds
      expect(jobIds.size).to.equal(1)
      expect(stages).to.include(`job ${jobId} is queued, nothing is charged for it again`)
      expect(stages.some((each) => each.startsWith(`job ${jobId} is running`))).to.equal(true)
      await endJob(stage.ingress, jobId, { segments })
      expect(structureOf(await host.callTool(given))).to.include({ status: 'completed', jobId })
      expect(structureOf(await host.callTool(given))).to.include({ status: 'completed', jobId })
      expect(await stage.acme.credits()).to.equal(credits - 1)
    })

    it('is a fresh job after one that failed', async () => {
      const host = await stage.connect(way)
      const given = { name: 'get_video_transcript', arguments: { url: `${url}?fails`, mode: 'native' } }
      const first = host.callTool(given)
      const failed = await stage.nextJob()
      await endJob(stage.ingress, failed.jobId, { code: 'upstream_error' })
      expect((await first).isError).to.equal(true)
      const second = host.callTool(given)
      const { jobId } = await stage.nextJob([failed.jobId])
      await endJob(stage.ingress, jobId, { segments })
      expect(structureOf(await second)).to.include({ status: 'completed', jobId })
    })
  })
}

describe('a service that does not answer', () => {
  it('is told within the time, for free and for paid tools', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    await using stage = await startMcpHarness({ answerSeconds: 2, baseUrl })
    const host = await stage.connect({ transport: 'http', mode: 'auto' })
    const from = performance.now()
    const [free, paid] = await Promise.all([
      host.callTool({ name: 'get_video_metadata', arguments: { url } }),
      host.callTool({ name: 'get_video_transcript', arguments: { url } }),
    ])
    expect((performance.now() - from) / 1000).to.be.below(FAR_TOO_LONG_SECONDS)
    expect([free.isError, textOf(free)]).to.deep.equal([
      true,
      'code: timeout\nmessage: The service did not answer in time.\nnext step: Nothing was charged. Call again with the same arguments in a few minutes.',
    ])
    expect(structureOf(paid)).to.deep.equal({ status: 'queued', jobId: null, next: [] })
    silent.close()
  }).timeout(60_000)

  it('is told at once where nobody listens, or where there is something else', async () => {
    await using stage = await startMcpHarness({ baseUrl: 'http://127.0.0.1:9' })
    const host = await stage.connect({ transport: 'http', mode: 'auto' })
    const result = await host.callTool({ name: 'get_video_metadata', arguments: { url } })
    expect(textOf(result)).to.match(/^code: network_error\n.*next step: Check that the service runs/s)
  }).timeout(20_000)
})

describe('the surface at /mcp', () => {
  let stage: McpHarness
  before(async () => {
    stage = await startMcpHarness()
  })
  after(() => stage[Symbol.asyncDispose]())

  const post = (headers: Record<string, string>, body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' }) =>
    fetch(`${stage.ingress.base}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    })

  it('takes the key as x-api-key or as Bearer, and answers 401 in JSON without one', async () => {
    expect((await post({ 'x-api-key': stage.acme.key })).status).to.equal(200)
    const way = { transport: 'http', mode: 'legacy' } as const
    const host = await stage.connect(way, { authorization: `Bearer ${stage.acme.key}` })
    const profile = await host.callTool({ name: 'get_tiktok_profile', arguments: { username: 'teller' } })
    expect(profile.isError).to.not.equal(true)
    const refused = await post({ authorization: 'Basic eA==' })
    expect(refused.status).to.equal(401)
    expect(((await refused.json()) as { error: string }).error).to.equal('unauthorized')
  })

  it('knows no wrong key: a host fails when it connects, whatever it sends', async () => {
    const way = { transport: 'http', mode: 'legacy' } as const
    const wrong = createSecret()
    const failed = await stage.connect(way, { 'x-api-key': wrong }).catch((error: Error) => error)
    expect(failed).to.be.instanceOf(Error)
    for (const headers of [{ 'x-api-key': 'ma_wrong' }, { 'x-api-key': wrong }, { authorization: `Bearer ${wrong}` }]) {
      const refused = await post(headers as Record<string, string>, '{')
      expect([refused.status, ((await refused.json()) as { error: string }).error]).to.deep.equal([401, 'unauthorized'])
    }
    // The one key is good, the other is not: no key.
    expect((await post({ 'x-api-key': wrong, authorization: `Bearer ${stage.acme.key}` })).status).to.equal(401)
  })

  it('answers JSON 404 where hosts look for OAuth, and notes requests without their keys', async () => {
    for (const path of ['oauth-protected-resource', 'oauth-authorization-server', 'oauth-protected-resource/mcp']) {
      const answer = await fetch(`${stage.ingress.base}/.well-known/${path}`)
      expect([answer.status, ((await answer.json()) as { error: string }).error]).to.deep.equal([404, 'not_found'])
    }
    const answer = await post({ 'x-api-key': stage.acme.key })
    expect(answer.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
    await answer.text()
    expect(stage.ingress.lines.some(({ route, status }) => route === '/mcp' && status === 200)).to.equal(true)
    expect(JSON.stringify(stage.ingress.lines)).to.not.contain(stage.acme.key)
  })

  it('refuses what is not the protocol, and bodies that are too large', async () => {
    const key = { 'x-api-key': stage.acme.key }
    expect((await fetch(`${stage.ingress.base}/mcp`, { headers: key })).status).to.equal(405)
    expect((await post(key, { hello: 1 })).status).to.equal(400)
    expect((await post(key, { jsonrpc: '2.0', id: 1, method: 'x'.repeat(300_000) })).status).to.equal(413)
  })
})

describe('npm run mcp', () => {
  it('says what is missing, and goes', async () => {
    await using stage = await startMcpHarness()
    const { status, stderr } = stage.runStdio({ VIDEO_INTELLIGENCE_API_KEY: '' })
    expect([status, stderr.trim()]).to.deep.equal([1, 'VIDEO_INTELLIGENCE_API_KEY must be set'])
  }).timeout(20_000)

  it('is what the bin starts, too, from any folder', async () => {
    await using stage = await startMcpHarness()
    const tools = await stage.toolsOfBin()
    expect(tools).to.have.length(5)
  }).timeout(30_000)
})
