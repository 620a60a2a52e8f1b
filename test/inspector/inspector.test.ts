import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { film, project, startMcpHarness, structureOf, textOf } from '#test/doubles/mcp/mcp.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'

const url = 'https://cdn.example.com/film.mp4'
const inspector = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli'))
/** The inspector needs a package.json above its working directory; without one it looks in the wrong place. */
const cwd = join(project, 'test')
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

/** The tools, called from the MCP inspector's command line, which uses the client of the SDK's version 1. */
describe("the inspector's command line", function () {
  this.timeout(120_000)
  const harness = openedForAll(() => startMcpHarness())

  const targets = {
    stdio: () => [
      ...[process.execPath, join(project, 'services/mcp/bin.mjs')],
      ...Object.entries(harness.env).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    ],
    http: () => [`${harness.ingress.base}/mcp`, '--transport', 'http', '--header', `x-api-key: ${harness.acme.key}`],
  }

  function inspect<T>(target: keyof typeof targets, ...words: string[]): Promise<T> {
    const all = [inspector, '--cli', ...targets[target](), ...words]
    return new Promise((resolve, reject) => {
      execFile(process.execPath, all, { cwd, env: harness.env, timeout: 60_000 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
        else resolve(JSON.parse(stdout) as T)
      })
    })
  }

  const call = (target: keyof typeof targets, name: string, given: Record<string, string>): Promise<CallToolResult> =>
    inspect(
      target,
      ...['--method', 'tools/call', '--tool-name', name],
      ...Object.entries(given).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]),
    )

  for (const target of ['stdio', 'http'] as const) {
    it(`lists the tools over ${target}`, async () => {
      const { tools } = await inspect<{ tools: { name: string }[] }>(target, '--method', 'tools/list')
      expect(tools.map(({ name }) => name).sort()).to.deep.equal([
        'extract_from_video',
        'get_instagram_profile',
        'get_tiktok_profile',
        'get_video_metadata',
        'get_video_transcript',
      ])
    })

    it(`calls the free tools over ${target}, and gets the errors`, async () => {
      const [metadata, tiktok, instagram, refused] = await Promise.all([
        call(target, 'get_video_metadata', { url }),
        call(target, 'get_tiktok_profile', { username: 'teller' }),
        call(target, 'get_instagram_profile', { username: 'teller', limit: '2' }),
        call(target, 'get_video_metadata', { url: 'http://localhost/' }),
      ])
      expect(structureOf(metadata)).to.deep.equal(film)
      expect(structureOf(tiktok).platform).to.equal('tiktok')
      expect(structureOf(instagram).platform).to.equal('instagram')
      expect(refused.isError).to.equal(true)
      expect(textOf(refused)).to.contain('code: invalid_request')
    })

    it(`calls the paid tools over ${target}, and a repeat costs nothing`, async () => {
      const credits = await harness.acme.credits()
      const asked = { url: `${url}?${target}`, mode: 'native' }
      const transcript = call(target, 'get_video_transcript', asked)
      const first = await harness.nextJob()
      await endJob(harness.ingress, first.jobId, { segments })
      expect(structureOf(await transcript)).to.include({ status: 'completed', jobId: first.jobId })
      expect(structureOf(await call(target, 'get_video_transcript', asked)).jobId).to.equal(first.jobId)
      const extraction = call(target, 'extract_from_video', { url, prompt: `What is it, ${target}?` })
      const second = await harness.nextJob()
      await endJob(harness.ingress, second.jobId, { extracted: { topic: 'film' } })
      expect(structureOf(await extraction).result).to.deep.equal({ topic: 'film' })
      // The stand-in for the workers earns one credit for each.
      expect(await harness.acme.credits()).to.equal(credits - 2)
    })
  }
})
