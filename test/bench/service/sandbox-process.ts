/**
 * A process with the sandbox. Every id that begins with `bench` is a video of its own, so there are as many as a caller
 * asks for.
 */

import { readFile } from 'node:fs/promises'
import { loadMedia } from '#services/sandbox/media.ts'
import { type Sandbox, startSandbox } from '#services/sandbox/sandbox.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import type { SandboxAnswer, SandboxRequest, Site } from '#services/sandbox/site.ts'
import { youtubeSites } from '#services/sandbox/youtube/site.ts'
import { serveCalls } from '../kit/serve-calls.ts'

const MODEL = everyVideo[0]?.id ?? ''
const invented = /bench\w{6}/

/** Shows the model video under the requested id. */
function renamed(site: Site): Site {
  const rename = (value: object, id: string): object => JSON.parse(JSON.stringify(value).replaceAll(MODEL, id))
  const answer = async (request: SandboxRequest): Promise<SandboxAnswer | undefined> => {
    const [id] = invented.exec(request.url.href + request.body) ?? []
    if (id === undefined) return site.answer(request)
    const url = new URL(request.url.href.replaceAll(id, MODEL))
    const found = await site.answer({ ...request, url, body: Buffer.from(String(request.body).replaceAll(id, MODEL)) })
    if (found?.page) return { ...found, page: { ...found.page, data: rename(found.page.data, id) } }
    return typeof found?.body === 'object' && !Buffer.isBuffer(found.body)
      ? { ...found, body: rename(found.body, id) }
      : found
  }
  return { ...site, answer }
}

let sandbox: Sandbox | undefined

/** Serves a file as the sound of a long recording, at http://films.example.com/recording.m4a. */
async function recordingSite(path: string): Promise<Site> {
  const body = await readFile(path)
  const headers = { 'content-type': 'audio/mp4' }
  return {
    hosts: ['films.example.com'],
    answer: ({ url }) => (url.pathname === '/recording.m4a' ? { status: 200, headers, body } : undefined),
  }
}

/** @param recording path of an m4a file */
async function open({ recording }: { recording?: string }): Promise<{ proxyUrl: string; caFile: string }> {
  const media = await loadMedia()
  const sites = youtubeSites(media).map(renamed)
  if (recording) sites.push(await recordingSite(recording))
  sandbox = await startSandbox(sites)
  return { proxyUrl: sandbox.proxyUrl, caFile: sandbox.caFile }
}

serveCalls({ open }, async () => sandbox?.[Symbol.asyncDispose]())
