import { expect } from 'chai'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { LeadsElsewhereError } from '#packages/platforms/urls/resolve-short-link.ts'
import type { Videos } from '#packages/platforms/videos/create-videos.ts'
import type { VideoSource } from '#packages/platforms/videos/video-source.ts'
import { answerOf, assertRefused, eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { type Setting, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { untold } from '#test/doubles/untold.ts'

const film: VideoMetadata = {
  ...untold,
  title: 'film',
  platform: 'direct',
  duration: 5.5,
  isLive: null,
}
const path = (url: string): string => `/v1/metadata?url=${encodeURIComponent(url)}`
const url = 'https://cdn.example.com/film.mp4'

describe('GET /v1/metadata', () => {
  let read: (...asked: Parameters<VideoSource['metadata']>) => Promise<VideoMetadata>
  let reads: string[]
  const setting = (more: { readTimeoutMs?: number } = {}): Setting => {
    const metadata: VideoSource['metadata'] = async (canonical, reading) => {
      reads.push(canonical)
      return { metadata: await read(canonical, reading), missing: [] }
    }
    const options = { maxReads: 3, maxReadsPerOrganization: 2, ...more }
    return { clock, platforms: sourcesOf({ metadata }), options }
  }
  const { ingress, acme } = eachIngress(() => {
    reads = []
    read = async () => film
    return setting()
  })

  it('refuses URLs that are missing, repeated, hostile or not a video, naming url, and reads nothing', async () => {
    const bad = ['', 'a&url=b', 'not%20a%20url', 'http://127.0.0.1/a.mp4', `${url}?${'a'.repeat(2048)}`]
    await assertRefused(acme, '/v1/metadata', { url: ['', ...bad.map((given) => `?url=${given}`)] })
    expect(reads).to.deep.equal([])
  })

  it('reads the canonical URL, and names the platform that fails', async () => {
    read = () => Promise.reject(new StepError('platform_blocked', { transient: true, retryAfterSeconds: 30 }))
    const { status, body, headers } = await acme.get(path('https://m.youtube.com/watch?v=dQw4w9WgXcQ&pp=1'))
    expect(reads).to.deep.equal(['https://www.youtube.com/watch?v=dQw4w9WgXcQ'])
    expect([status, body.details]).to.deep.equal([502, { platform: 'youtube', code: 'platform_blocked' }])
    expect(headers.get('retry-after')).to.equal('30')
  })

  it('distinguishes errors of the URL, the video and the platform', async () => {
    const expected: Partial<Record<FailureCode, [number, string]>> = {
      media_unsupported: [400, 'invalid_request'],
      media_too_large: [400, 'invalid_request'],
      video_unavailable: [404, 'not_found'],
      video_private: [404, 'not_found'],
      platform_blocked: [502, 'upstream_error'],
      upstream_error: [502, 'upstream_error'],
    }
    for (const [code, answer] of Object.entries(expected) as [FailureCode, [number, string]][]) {
      read = () => Promise.reject(new StepError(code))
      const { status, body } = await acme.get(path(url))
      expect([status, body.error], code).to.deep.equal(answer)
      expect(status === 400 ? body.details[0].code : body.details.code, code).to.equal(code)
    }
  })

  it('has captions and chapters if asked to include them', async () => {
    const captions = [{ language: 'en', source: 'captions' as const }]
    const chapters = [{ start: 0, end: 5.5, title: 'All of it' }]
    read = async (_url, { include = [] }) => ({
      ...film,
      ...(include.includes('captions') && { captions }),
      ...(include.includes('chapters') && { chapters }),
    })
    const including = async (include: string) => (await acme.get(`${path(url)}&include=${include}`)).body
    expect(await including('captions')).to.deep.equal({ ...film, captions })
    expect(await including('chapters,captions')).to.deep.equal({ ...film, captions, chapters })
    for (const include of ['', 'comments', 'captions,', 'captions&include=chapters']) {
      const { error, details } = await including(include)
      expect([error, details?.[0].path], include).to.deep.equal(['invalid_request', 'include'])
    }
  })

  it('names unreadable fields in a header, if there are any', async () => {
    expect((await acme.get(path(url))).headers.has('x-metadata-incomplete')).to.equal(false)
    const missing = ['duration', 'viewCount', 'captions'] as const
    const summary: Videos['summary'] = async () => ({ metadata: film, missing: [...missing] })
    await using refused = await startIngress({ clock, platforms: sourcesOf({ summary }) })
    const { status, body, headers } = await (await refused.org()).get(`${path(url)}&include=captions`)
    expect([status, body]).to.deep.equal([200, film])
    expect(headers.get('x-metadata-incomplete')).to.equal('duration, viewCount, captions')
  })

  it('refuses a short link to a foreign page, naming url and the reason', async () => {
    read = () => Promise.reject(new LeadsElsewhereError('leads to a page of somebody else'))
    const problem = { path: 'url', message: 'leads to a page of somebody else', code: 'video_unavailable' }
    const refused = await answerOf(acme.get(path('https://t.co/AbC123')), 'error', 'details')
    expect(refused).to.deep.equal([400, 'invalid_request', [problem]])
  })

  it('gives up after its time limit', async () => {
    read = (_url, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    await using hasty = await startIngress(setting({ readTimeoutMs: 100 }))
    const late = (await hasty.org()).get(path(url))
    expect(await answerOf(late, 'details')).to.deep.equal([502, { platform: 'direct', code: 'timeout' }])
  })

  it('shares one read among an organization’s concurrent requests, and limits concurrent reads', async () => {
    const gate = Promise.withResolvers<void>()
    read = async () => {
      await gate.promise
      return film
    }
    const asked = ['a', 'a', 'a', 'b'].map((name) => acme.get(path(`https://cdn.example.com/${name}.mp4`)))
    while (reads.length < 2) await clock.sleep(1)
    expect((await acme.get(path('https://cdn.example.com/c.mp4'))).status).to.equal(503)
    const other = await ingress.org()
    asked.push(other.get(path('https://cdn.example.com/d.mp4')))
    while (reads.length < 3) await clock.sleep(1)
    expect((await other.get(path('https://cdn.example.com/e.mp4'))).status).to.equal(503)
    gate.resolve()
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200])
    expect(reads).to.have.length(3)
    expect((await acme.get(path('https://cdn.example.com/c.mp4'))).status).to.equal(200)
  })
})
