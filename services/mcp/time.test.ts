import { createServer } from 'node:net'
import { expect } from 'chai'
import { createSecret } from '#packages/accounts/keys/secret.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { type McpHarness, startMcpHarness, structureOf, textOf } from '#test/doubles/mcp/mcp.harness.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

/** The longest time for an answer on a busy machine. turn.test.ts tests the exact time, with its own clock. */
const FAR_TOO_LONG_SECONDS = 20

/** The other transports and protocols have the same times. */
const way = { transport: 'stdio', mode: 'legacy' } as const

describe('the time to answer', function () {
  this.timeout(60_000)
  // Polls take two seconds, so one is reported before the time is over, unless the machine is busy.
  const answerSeconds = 5
  let harness: McpHarness
  before(async () => {
    harness = await startMcpHarness({ answerSeconds })
  })
  after(() => harness[Symbol.asyncDispose]())

  it('is kept with and without progress; the repeat resumes the job, and is charged once', async () => {
    const host = await harness.connect(way)
    // The tool server may be a process that is still starting.
    await host.listTools()
    const credits = await harness.acme.credits()
    const given = { name: 'get_video_transcript', arguments: { url, mode: 'native' } }
    const progress: string[] = []
    const jobIds = new Set<string>()
    const wasPolled = () => progress.some((each) => each.includes(' is running, '))
    let options: object = {}
    for (let calls = 0; calls < 2 || !wasPolled(); calls++) {
      const from = performance.now()
      const result = await host.callTool(given, options)
      expect((performance.now() - from) / 1000).to.be.within(1, FAR_TOO_LONG_SECONDS)
      options = { onprogress: ({ message = '' }) => void progress.push(message) }
      const { status, jobId, next } = structureOf(result)
      expect([status, result.isError === true]).to.deep.equal(['queued', false])
      expect(next).to.deep.equal([{ tool: given.name, arguments: { url, jobId } }])
      expect(textOf(result)).to.contain(jobId).and.contain('Call again with the same arguments')
      jobIds.add(jobId)
    }
    const [jobId = ''] = jobIds
    expect(jobIds.size).to.equal(1)
    expect(progress).to.include(`job ${jobId} is queued, nothing is charged for it again`)
    expect(progress.some((each) => each.startsWith(`job ${jobId} is running`))).to.equal(true)
    await endJob(harness.ingress, jobId, { segments })
    expect(structureOf(await host.callTool(given))).to.include({ status: 'completed', jobId })
    expect(structureOf(await host.callTool(given))).to.include({ status: 'completed', jobId })
    expect(await harness.acme.credits()).to.equal(credits - 1)
  })

  it('makes a new job after one that failed', async () => {
    // Leaves time for the job to end before the call is answered, even on a busy machine.
    await using harness = await startMcpHarness()
    const host = await harness.connect(way)
    const given = { name: 'get_video_transcript', arguments: { url: `${url}?fails`, mode: 'native' } }
    const first = host.callTool(given)
    const failed = await harness.nextJob()
    await endJob(harness.ingress, failed.jobId, { code: 'upstream_error' })
    expect((await first).isError).to.equal(true)
    const second = host.callTool(given)
    const { jobId } = await harness.nextJob([failed.jobId])
    await endJob(harness.ingress, jobId, { segments })
    expect(structureOf(await second)).to.include({ status: 'completed', jobId })
  })
})

describe('a service that does not answer', () => {
  it('is reported within the time, for free and for paid tools', async () => {
    await using silent = await onLoopback(createServer())
    await using harness = await startMcpHarness({ answerSeconds: 2, baseUrl: `http://127.0.0.1:${silent.port}` })
    const host = await harness.connect({ transport: 'http', mode: 'auto' })
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
    const again = { tool: 'get_video_transcript', arguments: { url } }
    expect(structureOf(paid)).to.deep.equal({ status: 'queued', jobId: null, next: [again] })
  }).timeout(60_000)

  it('is reported at once if nothing listens, or another server does', async () => {
    await using harness = await startMcpHarness({ baseUrl: 'http://127.0.0.1:9' })
    const host = await harness.connect({ transport: 'http', mode: 'auto' })
    const result = await host.callTool({ name: 'get_video_metadata', arguments: { url } })
    expect(textOf(result)).to.match(/^code: network_error\n.*next step: Check that the service runs/s)
  })
})

describe('the surface at /mcp', () => {
  let harness: McpHarness
  before(async () => {
    harness = await startMcpHarness()
  })
  after(() => harness[Symbol.asyncDispose]())

  const post = (headers: Record<string, string>, body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' }) =>
    fetch(`${harness.ingress.base}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    })

  it('takes the key as x-api-key or as Bearer, and answers 401 in JSON without one', async () => {
    expect((await post({ 'x-api-key': harness.acme.key })).status).to.equal(200)
    const way = { transport: 'http', mode: 'legacy' } as const
    const host = await harness.connect(way, { authorization: `Bearer ${harness.acme.key}` })
    const profile = await host.callTool({ name: 'get_tiktok_profile', arguments: { username: 'teller' } })
    expect(profile.isError).to.not.equal(true)
    const refused = await post({ authorization: 'Basic eA==' })
    expect(refused.status).to.equal(401)
    expect(((await refused.json()) as { error: string }).error).to.equal('unauthorized')
  })

  it('refuses a wrong key in every request, so that a host fails when it connects', async () => {
    const way = { transport: 'http', mode: 'legacy' } as const
    const wrong = createSecret()
    const failed = await harness.connect(way, { 'x-api-key': wrong }).catch((error: Error) => error)
    expect(failed).to.be.instanceOf(Error)
    for (const headers of [{ 'x-api-key': 'ma_wrong' }, { 'x-api-key': wrong }, { authorization: `Bearer ${wrong}` }]) {
      const refused = await post(headers as Record<string, string>, '{')
      expect([refused.status, ((await refused.json()) as { error: string }).error]).to.deep.equal([401, 'unauthorized'])
    }
    // The key in x-api-key counts, even if the other one is valid.
    expect((await post({ 'x-api-key': wrong, authorization: `Bearer ${harness.acme.key}` })).status).to.equal(401)
  })

  it('answers JSON 404 if hosts look for OAuth, and logs requests without their keys', async () => {
    for (const path of ['oauth-protected-resource', 'oauth-authorization-server', 'oauth-protected-resource/mcp']) {
      const answer = await fetch(`${harness.ingress.base}/.well-known/${path}`)
      expect([answer.status, ((await answer.json()) as { error: string }).error]).to.deep.equal([404, 'not_found'])
    }
    const answer = await post({ 'x-api-key': harness.acme.key })
    expect(answer.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
    await answer.text()
    expect(harness.ingress.lines.some(({ route, status }) => route === '/mcp' && status === 200)).to.equal(true)
    expect(JSON.stringify(harness.ingress.lines)).to.not.contain(harness.acme.key)
  })

  it('refuses bodies that are too large or not of the protocol', async () => {
    const key = { 'x-api-key': harness.acme.key }
    expect((await fetch(`${harness.ingress.base}/mcp`, { headers: key })).status).to.equal(405)
    expect((await post(key, { hello: 1 })).status).to.equal(400)
    expect((await post(key, { jsonrpc: '2.0', id: 1, method: 'x'.repeat(300_000) })).status).to.equal(413)
  })
})

describe('npm run mcp', () => {
  it('says which variable is missing, and exits with 1', async () => {
    await using harness = await startMcpHarness()
    const { status, stderr } = harness.runStdio({ VIDEO_INTELLIGENCE_API_KEY: '' })
    expect([status, stderr.trim()]).to.deep.equal([1, 'VIDEO_INTELLIGENCE_API_KEY must be set'])
  })

  it('is also started by the bin, from any folder', async () => {
    await using harness = await startMcpHarness()
    const tools = await harness.toolsOfBin()
    expect(tools).to.have.length(5)
  })
})
