/** The tools of an agent's host with the whole service behind them: over /mcp and as `npm run mcp` starts them. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'chai'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { connectedHost } from '#test/doubles/mcp/connected-host.ts'
import { project, structureOf, textOf } from '#test/doubles/mcp/mcp.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'

describe('the tools of an agent', function () {
  this.timeout(120_000)
  const model = openedForAll(() => startChatEndpoint({ reply: () => '{"topic": "speeches"}' }))
  const setting = openedForAll(() =>
    Setting.start({
      media: ['captioned.mp4', 'speech.mp4', 'mute.mp4'],
      env: { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'sk-scenario-model', LLM_MAX_FRAMES: '1' },
    }),
  )

  const transports = {
    '/mcp': ({ key }: Client) =>
      new StreamableHTTPClientTransport(new URL(`${setting.service.base}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      }),
    // Not --silent: what npm prints before the server starts must do no harm.
    'npm run mcp': ({ key }: Client) =>
      new StdioClientTransport({
        command: 'npm',
        args: ['run', 'mcp'],
        cwd: project,
        env: {
          ...machineEnvironment(),
          VIDEO_INTELLIGENCE_API_KEY: key,
          VIDEO_INTELLIGENCE_BASE_URL: setting.service.base,
        },
      }),
  }

  for (const [name, transportOf] of Object.entries(transports)) {
    it(`read, transcribe and extract over ${name}; repeats are not charged`, async () => {
      const customer = await setting.client()
      await using host = await connectedHost(transportOf(customer))
      const call = (tool: string, given: Record<string, unknown>) => host.callTool({ name: tool, arguments: given })
      const metadata = structureOf(await call('get_video_metadata', { url: at('/captioned.mp4') }))
      expect(metadata).to.include({ platform: 'direct' })
      const asked = { url: at('/captioned.mp4'), mode: 'native' }
      const transcript = structureOf(await call('get_video_transcript', asked))
      expect(transcript).to.include({ status: 'completed', source: 'captions' })
      expect(transcript.segments.length).to.be.greaterThan(0)
      expect(structureOf(await call('get_video_transcript', asked)).jobId).to.equal(transcript.jobId)
      const later = { ...asked, fromSeconds: transcript.segments.at(-1).start }
      expect(structureOf(await call('get_video_transcript', later)).segments).to.deep.equal(
        transcript.segments.slice(-1),
      )
      expect(await customer.credits()).to.equal(49)
      const question = { url: at('/speech.mp4'), prompt: 'What is it about?' }
      const extraction = structureOf(await call('extract_from_video', question))
      expect(extraction.result).to.deep.equal({ topic: 'speeches' })
      expect(structureOf(await call('extract_from_video', { ...question, path: '/topic' })).result).to.equal('speeches')
      expect(await customer.credits()).to.equal(39)
      const failed = await call('get_video_transcript', { url: at('/mute.mp4'), mode: 'native' })
      expect(failed.isError).to.equal(true)
      expect(textOf(failed)).to.match(/^code: captions_unavailable\n/)
      expect(await customer.credits()).to.equal(39)
    })
  }

  it('leave every debit settled and every balance right', () => assertAddsUp(setting))
})
