import { expect } from 'chai'
import type { Egress, EgressRequest } from '#packages/egress/egress.ts'
import { EgressError } from '#packages/egress/egress-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Browse, BrowserQuestion } from '../reading/ask-platform.ts'
import { platformAt } from '../registry.ts'
import { parseVideoUrl } from './parse-video-url.ts'
import { LeadsElsewhereError, resolveShortLink } from './resolve-short-link.ts'

/** The answer at each URL: the target of a redirect, a page, another status, or a failed request. */
type Site = Record<string, string | { page: string } | number | Error>
type Asked = { url: string } & ({ browser: BrowserQuestion } | { program: EgressRequest })

describe('resolving short links', () => {
  let asked: Asked[]
  let open: number
  beforeEach(() => {
    asked = []
    open = 0
  })

  const answerOf = (site: Site, url: string) => {
    const found = site[url] ?? 404
    if (found instanceof Error) throw found
    const status = typeof found === 'string' ? 302 : typeof found === 'number' ? found : 200
    const text = typeof found === 'object' ? found.page : ''
    return { url, status, text, location: typeof found === 'string' ? found : null }
  }
  const egressTo = (site: Site): Egress => ({
    async request(url, request) {
      request.signal.throwIfAborted()
      asked.push({ url, program: request })
      const { status, location } = answerOf(site, url)
      open++
      return {
        url,
        status,
        headers: location === null ? {} : { location },
        get body() {
          return expect.fail('a body was read')
        },
        [Symbol.asyncDispose]: async () => void open--,
      }
    },
  })
  const browserOf =
    (site: Site) =>
    (platform: string): Browse =>
    async (question) => {
      expect(platformAt(new URL(question.url).hostname)?.name).to.equal(platform)
      asked.push({ url: question.url, browser: question })
      return answerOf(site, question.url)
    }

  function follow(url: string, site: Site, signal = new AbortController().signal) {
    const parsed = parseVideoUrl(url)
    if (parsed.kind !== 'short') return expect.fail(`${url} is ${parsed.kind}`)
    const reading = { owner: 'job', refusals: 0, signal }
    return resolveShortLink(parsed, { egress: egressTo(site), browserOf: browserOf(site), reading })
  }

  const failureOf = async (url: string, site: Site): Promise<StepError> => {
    const failure = await follow(url, site).catch((error: unknown) => error)
    return failure instanceof StepError ? failure : expect.fail(`no StepError: ${failure}`)
  }

  for (const [url, location, canonical] of [
    [
      'https://vm.tiktok.com/ZMabc/',
      'https://www.tiktok.com/@cook/video/7351234567890123456?_r=1',
      'https://www.tiktok.com/@cook/video/7351234567890123456',
    ],
    [
      'https://vt.tiktok.com/ZSabc/',
      'https://m.tiktok.com/v/7351234567890123456.html?u=1',
      'https://www.tiktok.com/@_/video/7351234567890123456',
    ],
    [
      'https://www.tiktok.com/t/ZTabc/',
      'https://www.tiktok.com/@/video/7351234567890123456',
      'https://www.tiktok.com/@_/video/7351234567890123456',
    ],
    [
      'https://fb.watch/a6Hq7Wq__5/',
      'https://www.facebook.com/165608444009109/videos/637638560246579/?extid=NS',
      'https://www.facebook.com/watch/?v=637638560246579',
    ],
    [
      'https://www.facebook.com/share/r/1AbC/',
      '/reel/425457359591024/?rdid=x',
      'https://www.facebook.com/reel/425457359591024',
    ],
    [
      'https://www.facebook.com/share/v/1AbC/',
      'https://www.facebook.com/login/?next=https%3A%2F%2Fwww.facebook.com%2Fwatch%2F%3Fv%3D1',
      'https://www.facebook.com/watch/?v=1',
    ],
    [
      'https://www.instagram.com/share/reel/BAx1y2z3Q',
      'https://www.instagram.com/reel/DF5s0duxDts/?igsh=x',
      'https://www.instagram.com/reel/DF5s0duxDts/',
    ],
    [
      'https://www.instagram.com/share/BAx1y2z3Q',
      '/accounts/login/?next=%2Fp%2FDF5s0duxDts%2F',
      'https://www.instagram.com/p/DF5s0duxDts/',
    ],
    ['https://t.co/AbC123', 'https://youtu.be/dQw4w9WgXcQ', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    [
      'https://t.co/AbC123',
      'https://twitter.com/nasa/status/1234567890/video/1',
      'https://x.com/nasa/status/1234567890',
    ],
  ] as const) {
    it(`${url} that leads to ${location.slice(0, 60)} is ${canonical}, without requesting that page`, async () => {
      expect(await follow(url, { [url]: location })).to.include({ accepted: true, canonical })
      expect(asked.map(({ url }) => url)).to.deep.equal([url])
      const [first] = asked
      if (first && 'program' in first) expect(first.program).to.include({ redirect: 'manual', maxBytes: 0 })
      else expect(first?.browser).to.include({ follow: false, maxBytes: 0 })
      expect(open, 'answers left open').to.equal(0)
    })
  }

  it('follows links between platforms in canonical spelling: as a program at t.co, else as a browser', async () => {
    const site = {
      'https://t.co/a': 'http://vm.tiktok.com/ZMabc/',
      'https://vm.tiktok.com/ZMabc/': 'https://www.tiktok.com/t/ZTabc/?k=1',
      'https://www.tiktok.com/t/ZTabc/': 'https://www.tiktok.com/@cook/video/7351234567890123456',
    }
    expect(await follow('https://t.co/a', site)).to.include({ platform: 'tiktok', id: '7351234567890123456' })
    expect(asked.map(({ url }) => url)).to.deep.equal(Object.keys(site))
    expect(asked.map((one) => 'browser' in one)).to.deep.equal([false, true, true])
    expect(asked[0]).to.have.nested.property('program.headers.user-agent', 'video-intelligence-service')
  })

  it('follows a link in a redirect page without requesting the page', async () => {
    const site = {
      'https://t.co/a': `https://l.facebook.com/l.php?u=${encodeURIComponent('https://fb.watch/b/?x=1')}&h=AT0`,
      'https://fb.watch/b/': 'https://www.facebook.com/reel/11/',
    }
    expect(await follow('https://t.co/a', site)).to.include({ canonical: 'https://www.facebook.com/reel/11' })
    expect(asked.map(({ url }) => url)).to.deep.equal(Object.keys(site))
  })

  describe('clips', () => {
    const clip = 'https://www.youtube.com/clip/UgytZKpehg-hEMBSn3F4AaABCQ'
    const pageWith = (data: unknown) => ({
      page: `<html><script nonce="a">var ytInitialData = ${JSON.stringify(data)};</script><p>more</p></html>`,
    })
    const endpoint = { clickTrackingParams: 'CAA=', watchEndpoint: { videoId: 'ScPX26pdQik' } }

    it("lead to the video that their page names, without requesting the video's page", async () => {
      const found = await follow(clip, { [clip]: pageWith({ contents: {}, currentVideoEndpoint: endpoint }) })
      expect(found).to.include({ canonical: 'https://www.youtube.com/watch?v=ScPX26pdQik', id: 'ScPX26pdQik' })
      expect(asked.map(({ url }) => url)).to.deep.equal([clip])
      expect(asked[0]).to.have.nested.property('browser.headers.cookie', 'SOCS=CAI')
    })

    it('lead to it even if the page has its data in a separate script', async () => {
      const data = JSON.stringify({ currentVideoEndpoint: endpoint })
      const page = `<html><script nonce="a" id="yt-initial-data" type="application/json">${data}</script></html>`
      expect(await follow(clip, { [clip]: { page } })).to.include({ id: 'ScPX26pdQik' })
    })

    it('are followed from another short link', async () => {
      const site = { 'https://t.co/a': `${clip}?si=x`, [clip]: pageWith({ currentVideoEndpoint: endpoint }) }
      expect(await follow('https://t.co/a', site)).to.include({ id: 'ScPX26pdQik' })
    })

    for (const [what, answer, code] of [
      ['that is gone', pageWith({ contents: {} }), 'video_unavailable'],
      [
        'with a page that names no id',
        pageWith({ currentVideoEndpoint: { watchEndpoint: { videoId: '../x' } } }),
        'video_unavailable',
      ],
      ['with a page that lacks its parts', pageWith({ responseContext: {} }), 'upstream_error'],
      ['with a page without data', { page: '<html></html>' }, 'upstream_error'],
      ['with a truncated page', { page: '<script>var ytInitialData = {"a":' }, 'upstream_error'],
      ['that does not exist', 404, 'video_unavailable'],
      ['that YouTube asks for consent first', `https://consent.youtube.com/m?continue=${clip}`, 'platform_blocked'],
      ['behind a robot check', `https://www.google.com/sorry/index?continue=${clip}`, 'platform_blocked'],
      ['that is requested too often', 429, 'platform_blocked'],
    ] as const)
      it(`fail with ${code} for one ${what}`, async () => {
        expect(await failureOf(clip, { [clip]: answer })).to.include({ code })
        expect([asked.length, open]).to.deep.equal([1, 0])
      })
  })

  it('follows ten redirects and no more', async () => {
    const chain = (length: number): Site =>
      Object.fromEntries(
        Array.from({ length }, (_, hop) => [
          `https://fb.watch/${hop}`,
          hop === length - 1 ? 'https://www.facebook.com/watch/?v=1' : `https://fb.watch/${hop + 1}`,
        ]),
      )
    expect(await follow('https://fb.watch/0', chain(10))).to.include({ id: '1' })
    asked = []
    expect(await failureOf('https://fb.watch/0', chain(11))).to.include({ code: 'upstream_error', transient: false })
    expect(asked).to.have.length(10)
  })

  for (const [location, reason] of [
    ['https://cdn.example.com/clip.mp4', /none of the platforms/],
    ['https://www.tiktok.com/@cook', /profile on TikTok/],
    ['http://169.254.169.254/latest/meta-data/', /not an address/],
    ['http://metadata.google.internal/', /no local or internal hosts/],
    ['https://www.youtube.com:8443/watch?v=dQw4w9WgXcQ', /port/],
    ['https://user:pw@www.youtube.com/watch?v=dQw4w9WgXcQ', /user name or password/],
    ['file:///etc/passwd', /must begin with http/],
    ['https://www.youtube.com.evil.example/watch?v=dQw4w9WgXcQ', /only begins like/],
  ] as const) {
    it(`refuses a link to ${location}, without requesting it`, async () => {
      const failure = await failureOf('https://t.co/AbC123', { 'https://t.co/AbC123': location })
      expect(failure).to.be.instanceOf(LeadsElsewhereError).with.property('code', 'video_unavailable')
      expect(failure)
        .to.have.property('reason')
        .that.matches(/^leads to /)
        .and.matches(reason)
      expect(asked).to.have.length(1)
    })
  }

  for (const [found, code, transient] of [
    [404, 'video_unavailable', false],
    [410, 'video_unavailable', false],
    [200, 'video_unavailable', false],
    ['https://www.tiktok.com/?_r=1', 'video_unavailable', false],
    [403, 'platform_blocked', true],
    [429, 'platform_blocked', true],
    ['https://www.tiktok.com/login?lang=en', 'platform_blocked', true],
    [451, 'geo_blocked', false],
    [503, 'upstream_error', true],
    ['http://', 'upstream_error', false],
    [new StepError('upstream_error', { transient: true }), 'upstream_error', true],
    [400, 'upstream_error', false],
  ] as const) {
    it(`fails with ${code} for ${found}`, async () => {
      const url = 'https://vm.tiktok.com/ZMabc/'
      const failure = await failureOf(url, { [url]: found })
      expect(failure).to.include({ code, transient }).and.not.instanceOf(LeadsElsewhereError)
      expect([asked.length, open]).to.deep.equal([1, 0])
    })
  }

  for (const [reason, transient] of [
    ['timeout', true],
    ['unreachable', true],
    ['tls', false],
    ['refused_address', false],
  ] as const)
    it(`fails with upstream_error if t.co cannot be read: ${reason}`, async () => {
      const failure = await failureOf('https://t.co/a', { 'https://t.co/a': new EgressError(reason, 't.co') })
      expect(failure).to.include({ code: 'upstream_error', transient })
    })

  it('ends with the reason of its signal', async () => {
    const reason = new Error('no longer wanted')
    expect(await follow('https://t.co/a', {}, AbortSignal.abort(reason)).catch((error) => error)).to.equal(reason)
  })
})
