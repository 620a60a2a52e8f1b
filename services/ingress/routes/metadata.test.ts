import { expect } from 'chai'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { Platform } from '#packages/platforms/platform.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'

const film: VideoMetadata = {
  title: 'film',
  author: null,
  platform: 'direct',
  duration: 5.5,
  viewCount: null,
  likeCount: null,
  thumbnail: null,
}
const path = (url: string): string => `/v1/metadata?url=${encodeURIComponent(url)}`
const url = 'https://cdn.example.com/film.mp4'

describe('GET /v1/metadata', () => {
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  let read: Platform['metadata']
  let reads: string[]
  beforeEach(async () => {
    reads = []
    read = async () => film
    const metadata: Platform['metadata'] = (canonical, signal) => {
      reads.push(canonical)
      return read(canonical, signal)
    }
    const platforms = {
      find: (video: { platform: string }) => (video.platform === 'direct' ? { metadata } : undefined),
    }
    const options = { metadataTimeoutMs: 100, maxMetadataReads: 3, maxMetadataReadsPerOrganization: 2 }
    ingress = await startIngress({ clock, platforms, options })
    acme = await ingress.org()
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  it('answers with every field of the specification', async () => {
    expect((await acme.get(path(url))).body).to.deep.equal(film)
  })

  it('refuses URLs that are missing, given twice, hostile or no video, naming url, and reads nothing', async () => {
    const bad = [
      '',
      '?url=',
      '?url=a&url=b',
      '?url=not%20a%20url',
      '?url=http://127.0.0.1/a.mp4',
      `?url=${url}?${'a'.repeat(2048)}`,
    ]
    for (const query of bad) {
      const { status, body } = await acme.get(`/v1/metadata${query}`)
      expect([status, body.error, body.details[0].path], query).to.deep.equal([400, 'invalid_request', 'url'])
    }
    expect(reads).to.deep.equal([])
  })

  it('is 503 for a platform that cannot be read yet, by name', async () => {
    const { status, body } = await acme.get(path('https://www.tiktok.com/@a/video/7000000000000000000'))
    expect([status, body.error]).to.deep.equal([503, 'unavailable'])
    expect(body.message).to.contain('tiktok')
  })

  it('tells whether the URL, the video or the platform is at fault', async () => {
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
      if (status !== 400) expect(body.details, code).to.deep.equal({ platform: 'direct', code })
    }
  })

  it('gives up after its time', async () => {
    read = (_url, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    const { status, body } = await acme.get(path(url))
    expect([status, body.details]).to.deep.equal([502, { platform: 'direct', code: 'timeout' }])
  })

  it('reads a video once for all who ask at the same time, and only so many at once, in all and for one organization', async () => {
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
