/**
 * Works with a TypeScript client that was generated from /openapi.json: types by openapi-typescript, in openapi.d.ts
 * beside this program, and openapi-fetch. Arguments: base URL, key, a video with captions, a private one. Prints the
 * answers. It is checked and run outside of the project (`main.ts`).
 */
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi.js'

type Job = components['schemas']['TranscriptJob']

declare const process: { argv: string[] }
const [, , baseUrl = '', key = '', captioned = '', hidden = ''] = process.argv
const client = createClient<paths>({ baseUrl, headers: { 'x-api-key': key } })

async function jobOf(url: string): Promise<Job> {
  const { data: accepted, error } = await client.POST('/v1/transcript', { body: { url, mode: 'native' } })
  if (error) throw new Error(`${error.error}: ${error.message}`)
  for (;;) {
    if (typeof accepted === 'string') throw new Error('The job was not waited for.')
    const path = { jobId: accepted.jobId }
    const { data: job, error } = await client.GET('/v1/transcript/{jobId}', {
      params: { path, header: { Prefer: 'wait=30' } },
    })
    if (error) throw new Error(`${error.error}: ${error.message}`)
    if (typeof job === 'string') throw new Error('The job came as text.')
    if (job.status !== 'queued') return job
  }
}

const { resultJson } = await jobOf(captioned)
const { error: failure } = await jobOf(hidden)
const { error } = await client.GET('/v1/metadata', { params: { query: { url: hidden } } })
// The types know each failure code.
const expected: components['schemas']['FailureCode'] = 'video_private'
const details = Array.isArray(error?.details) ? undefined : error?.details
console.log(
  JSON.stringify({
    segments: resultJson?.segments.length,
    source: resultJson?.source,
    failure: failure?.code,
    error: error?.error,
    code: details?.code === expected ? expected : undefined,
    documentationUrl: error?.documentationUrl,
  }),
)
