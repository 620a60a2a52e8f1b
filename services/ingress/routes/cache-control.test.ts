import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { endJob, type JobEnd } from '#test/doubles/ingress/ended-job.ts'
import type { Answer } from '#test/doubles/ingress/started-ingress.ts'

const url = 'https://cdn.example.com/film.mp4'
const text: JobEnd = { segments: [{ start: 0, end: 1, text: 'Hello.' }] }
const extracted: JobEnd = { extracted: { summary: 'a talk' } }
const timedOut: JobEnd = { code: 'timeout' }
const isPrivate: JobEnd = { code: 'video_private' }

/** The parts of an answer that a cache depends on (RFC 9111). */
const told = ({ status, headers }: Answer) => [
  status,
  ...['cache-control', 'vary', 'etag', 'expires', 'pragma', 'last-modified'].map((name) => headers.get(name)),
]
const poll = (status: number, etag: string) => [status, 'private, no-cache', 'Accept', etag, null, null, null]
const notKept = (status: number) => [status, 'no-store', null, null, null, null, null]

/** Every other answer of /v1 is `no-store`: `assertInContract` checks this for each answer that a test gets. */
describe('what caches may do with polls', () => {
  const { ingress, acme } = eachIngress(() => ({ clock, options: { extracts: true } }), 'pro')

  const begin = async (kind: string): Promise<string> => {
    const asked = kind === 'extract' ? { url, prompt: 'What?' } : { url, mode: 'native' }
    return (await acme.post(`/v1/${kind}`, asked)).headers.get('location') ?? ''
  }
  const end = (path: string, how: JobEnd) => endJob(ingress, path.split('/').at(-1) ?? '', how)

  for (const [kind, result] of Object.entries({ transcript: text, extract: extracted }))
    it(`of ${kind} jobs: the caller's own cache may keep them, and revalidates each time`, async () => {
      const path = await begin(kind)
      expect(told(await acme.get(path))).to.deep.equal(poll(200, '"queued"'))
      await end(path, result)
      const first = await acme.get(path)
      const repeated = await acme.get(path)
      expect([first, repeated].map(told)).to.deep.equal(Array(2).fill(poll(200, '"completed"')))
      // Without a Cache-Control of its own, fetch adds one to a conditional request.
      const headers = { 'if-none-match': '"completed"', 'cache-control': 'max-age=0' }
      expect(told(await acme.get(path, { headers }))).to.deep.equal(poll(304, '"completed"'))
      const [failed, late] = [await begin(kind), await begin(kind)]
      await end(failed, isPrivate)
      await end(late, timedOut)
      expect(told(await acme.get(failed))).to.deep.equal(poll(200, '"failed"'))
      expect(told(await acme.get(late))).to.deep.equal(poll(504, '"failed"'))
    })

  it('of transcripts in other forms: each form has a tag of its own', async () => {
    const path = await begin('transcript')
    await end(path, text)
    const headers = { accept: 'text/vtt' }
    expect(told(await acme.get(path, { headers }))).to.deep.equal(poll(200, '"completed:text/vtt"'))
  })

  it('that are refused: they keep nothing', async () => {
    const path = await begin('transcript')
    const other = await ingress.org()
    expect(told(await ingress.call('GET', path))).to.deep.equal(notKept(401))
    // Another organization's tag does not help a caller.
    const headers = { 'if-none-match': '"queued"', 'cache-control': 'max-age=0' }
    expect(told(await other.get(path, { headers }))).to.deep.equal(notKept(404))
  })
})
