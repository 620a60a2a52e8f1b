import { createServer } from 'node:http'
import type { Client } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { failures } from '#packages/domain/job/failure.ts'
import { statusOf } from '#packages/foundation/errors/service-error.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { type McpHarness, startMcpHarness, textOf } from '#test/doubles/mcp/mcp.harness.ts'

const url = 'https://cdn.example.com/film.mp4'

/** Errors that no tool call can cause, because the tools send only what the contract allows. */
const neverMet = [
  'method_not_allowed',
  'unsupported_media_type',
  'headers_too_large',
  'idempotency_conflict',
  'job_not_ended',
]

/** A stand-in for `/v1` that answers everything with the error named in the video's URL. */
async function startRefusingService() {
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://localhost').searchParams.get('url') ?? ''
    const error = new URL(asked).pathname.slice(1) as keyof typeof statusOf
    const body = { error, message: `It is ${error}.`, details: null, documentationUrl: null }
    // The Retry-After is longer than the tools themselves wait.
    response.writeHead(statusOf[error], { 'content-type': 'application/json', 'retry-after': '30' })
    response.end(JSON.stringify(body))
  })
  const listening = await onLoopback(server)
  return { ...listening, baseUrl: `http://127.0.0.1:${listening.port}` }
}

describe('every error', function () {
  this.timeout(60_000)
  const way = { transport: 'http', mode: 'auto' } as const

  /** Asserts that a failed call has the code, the message and a next step of that code. */
  async function assertTold(called: ReturnType<Client['callTool']>, code: string): Promise<void> {
    const failed = await called
    expect(failed.isError, code).to.equal(true)
    expect(textOf(failed)).to.match(new RegExp(`^code: ${code}\nmessage: It is ${code}\\.\n`))
    expect(textOf(failed))
      .to.match(/\nnext step: .{10}/)
      .and.not.contain('about this error')
    expect(failed.structuredContent, 'no result').to.equal(undefined)
  }

  it('that ends a job is returned with its code, its message and the next step', async () => {
    await using harness: McpHarness = await startMcpHarness()
    const host = await harness.connect(way)
    for (const code of Object.keys(failures)) {
      const called = host.callTool({ name: 'get_video_transcript', arguments: { url: `${url}?${code}` } })
      await endJob(harness.ingress, (await harness.nextJob()).jobId, { code, message: `It is ${code}.` })
      await assertTold(called, code)
    }
  })

  it('that answers a request is passed on in the same way', async () => {
    await using service = await startRefusingService()
    await using harness = await startMcpHarness({ baseUrl: service.baseUrl })
    const host = await harness.connect(way)
    for (const code of Object.keys(statusOf).filter((code) => !neverMet.includes(code))) {
      const given = { url: `https://cdn.example.com/${code}` }
      await assertTold(host.callTool({ name: 'get_video_metadata', arguments: given }), code)
    }
  })

  it('caused by the limits of the key says so, and who can help', async () => {
    await using harness = await startMcpHarness()
    const called = async (limits: object) => {
      const { key } = (await harness.acme.post('/v1/keys', { name: 'limited', ...limits })).body
      const host = await harness.connect(way, { 'x-api-key': key })
      return textOf(await host.callTool({ name: 'get_video_transcript', arguments: { url, mode: 'native' } }))
    }
    expect(await called({ scopes: ['read'] })).to.match(
      /^code: forbidden\n.*scope jobs.*\n.*\nnext step: .*API key lacks the permission/s,
    )
    expect(await called({ monthlyCredits: 0 })).to.match(
      /^code: forbidden\n.*\nnext step: .*monthly credits of this API key/s,
    )
  })
})
