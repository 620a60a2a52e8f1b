import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { Pages } from '#services/ingress/routes/pages.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { type IngressOptions, writtenVideo, writtenWords } from '../options.ts'
import { guideNames } from './docs/guides.ts'
import { rendererPath } from './docs/reference.ts'
import { writtenBase } from './docs/served-text.ts'

const guides = guideNames.map((name) => `/docs/guides/${name}`)
const htmlPages = ['/docs', '/docs/errors', ...guides]
const shown = [...htmlPages, '/llms.txt', '/llms-full.txt', '/openapi.json']

const start = (options: Partial<IngressOptions> = {}): Promise<StartedIngress> => startIngress({ clock, options })

/** A request with this `Host`, which fetch does not let a caller set. */
const askAs = (ingress: StartedIngress, path: string, host: string) =>
  new Promise<{ headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    request(ingress.base + path, { headers: { host } }, async (answer) =>
      resolve({ headers: answer.headers, body: await text(answer) }),
    )
      .on('error', reject)
      .end()
  })

/** The links of a page to addresses of its own, whole and without the part after #. */
const linksOf = (text: string, page: string): string[] =>
  [...text.matchAll(/(?:src|href)="([^"#]+)[^"]*"/g)]
    .map(([, path]) => new URL(path ?? '', page).href)
    .filter((href) => !href.startsWith('https://www.standardwebhooks.com'))

describe('the documentation', () => {
  const ingress = openedForAll(() => start())

  it('has pages that load nothing from other hosts, and link only to existing pages', async () => {
    const led = new Set<string>()
    for (const path of htmlPages) {
      const { status, text, headers } = await ingress.call('GET', path)
      expect([status, headers.get('content-type')], path).to.deep.equal([200, 'text/html; charset=utf-8'])
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).to.match(/^default-src 'none'; script-src 'self';/)
      // Only the reference's renderer adds styles to its page.
      expect(policy.includes('unsafe'), path).to.equal(path === '/docs')
      expect(policy).to.not.contain('unsafe-eval')
      expect(text).to.not.match(/\son\w+=|<script>|<style|\sstyle=/)
      for (const href of linksOf(text, ingress.base + path)) led.add(href)
    }
    expect(led.size).to.be.greaterThan(guides.length + 7)
    for (const href of led) {
      expect(href.startsWith(ingress.base), href).to.equal(true)
      expect((await fetch(href)).status, href).to.equal(200)
    }
    for (const path of ['/docs/..%2fpackage.json', '/docs/constructor', '/docs/guides/constructor'])
      expect((await ingress.call('GET', path)).status, path).to.equal(404)
  })

  it('weighs at most 60 kB a page, except for the reference', async () => {
    for (const path of htmlPages.filter((page) => page !== '/docs')) {
      const files = linksOf((await ingress.call('GET', path)).text, ingress.base + path).filter((href) =>
        /\.(css|js|svg)$/.test(href),
      )
      const weights = [ingress.base + path, ...new Set(files)].map(
        async (href) => (await (await fetch(href)).blob()).size,
      )
      expect((await Promise.all(weights)).reduce((sum, size) => sum + size)).to.be.below(60_000)
    }
  })

  it('shows the public address, under a strong tag', async () => {
    const publicUrl = 'https://api.example.com/video'
    await using ingress = await start({ publicUrl })
    for (const path of shown) {
      const { body, headers } = await askAs(ingress, path, 'evil.example')
      expect(body).to.not.contain('evil.example').and.to.not.contain(writtenBase)
      expect(headers['cache-control'], path).to.equal('no-cache')
      const etag = `${headers.etag}`
      expect(etag).to.match(/^"[\w-]{43}"$/)
      const again = await fetch(ingress.base + path, { headers: { 'if-none-match': `"other", ${etag}` } })
      expect([again.status, again.headers.get('etag')]).to.deep.equal([304, etag])
    }
    const { body } = await ingress.call('GET', '/openapi.json')
    expect(body.servers).to.deep.equal([{ url: publicUrl }])
    expect((await ingress.call('GET', guides[0] ?? '')).text).to.contain(`curl -s ${publicUrl}/v1/transcript`)
  })

  it('shows the requested origin if there is no public address, and no cache may keep it', async () => {
    for (const path of shown) {
      const { body, headers } = await askAs(ingress, path, 'video.internal:8443')
      expect([headers['cache-control'], headers.etag], path).to.deep.equal(['no-store', undefined])
      expect(body).to.not.contain(writtenBase)
    }
    const { body } = await askAs(ingress, '/openapi.json', 'video.internal:8443')
    expect(JSON.parse(body).servers).to.deep.equal([{ url: 'http://video.internal:8443' }])
    for (const path of ['/llms.txt', '/docs/guides/quickstart'])
      expect((await askAs(ingress, path, '[::1]:8443')).body).to.contain('curl -s http://[::1]:8443/v1/transcript')
    // An invalid host is not repeated, and an error links to the address that the service knows.
    for (const host of ['a"><b', "x'$(id)", 'a b', 'user@host'])
      expect((await askAs(ingress, '/llms.txt', host)).body, host).to.contain(`Base URL: ${writtenBase}`)
    const refused = JSON.parse((await askAs(ingress, '/v1/me', 'evil.example')).body)
    expect(refused.documentationUrl).to.equal(`${ingress.base}/docs/errors#unauthorized`)
  })

  it('shows the example of the operator, and mentions no sandbox without one', async () => {
    const own = 'https://www.youtube.com/watch?v=aqz-KE-bpKQ'
    await using ingress = await start({ examples: { [writtenVideo]: own, [writtenWords]: 'Something else.' } })
    for (const path of shown) {
      const { text } = await ingress.call('GET', path)
      expect(text, path)
        .to.not.contain(writtenVideo)
        .and.to.not.contain(writtenWords)
        .and.to.not.match(/sandbox|npm (start|run)|nvlHour/i)
    }
    for (const path of ['/llms.txt', '/openapi.json', '/docs/guides/quickstart', '/docs/guides/credits'])
      expect((await ingress.call('GET', path)).text, path).to.contain(own)
  })

  it('says so if the world is the sandbox', async () => {
    await using ingress = await start({ isSandbox: true })
    for (const path of ['/llms.txt', '/llms-full.txt', '/openapi.json'])
      expect((await ingress.call('GET', path)).text, path).to.contain('`npm start -- --sandbox`')
  })

  it('lets files be cached for good under names that change with them, compressed if accepted', async () => {
    const ask = (encoding: string) => fetch(ingress.base + rendererPath, { headers: { 'accept-encoding': encoding } })
    const [plain, small] = [await ask('identity'), await ask('gzip')]
    for (const { headers } of [plain, small]) {
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(headers.get('vary')).to.equal('Accept-Encoding')
    }
    expect([plain, small].map(({ headers }) => headers.get('content-encoding'))).to.deep.equal([null, 'gzip'])
    expect(Number(small.headers.get('content-length'))).to.be.below(1_500_000)
    expect(plain.headers.get('etag')).to.not.equal(small.headers.get('etag'))
    // fetch has already decompressed the second answer.
    expect((await small.text()) === (await plain.text())).to.equal(true)
  })

  it('is the target of /, /docs/, /docs/guides and /favicon.ico, also behind a path of its own', async () => {
    const to = async (path: string): Promise<string> => {
      const { status, headers } = await fetch(ingress.base + path, { redirect: 'manual' })
      expect(status, path).to.equal(302)
      return new URL(headers.get('location') ?? '', `https://example.com/video${path}`).href
    }
    expect(await to('/')).to.equal('https://example.com/video/docs')
    expect(await to('/docs/')).to.equal('https://example.com/video/docs')
    expect(await to('/docs/guides')).to.equal('https://example.com/video/docs/guides/quickstart')
    expect(await to('/favicon.ico')).to.match(/^https:\/\/example\.com\/video\/docs\/icon-\w{12}\.svg$/)
  })

  it('links to the operator’s own pages at its foot, if there are any', async () => {
    await using own = await start({ ownPages: [['Terms', 'https://example.com/terms?a=1&b=2']] })
    const foot = '<footer class="foot"><a href="https://example.com/terms?a=1&amp;b=2">Terms</a></footer>'
    for (const path of ['/docs', '/docs/errors', '/docs/guides/quickstart'])
      expect((await own.call('GET', path)).text, path).to.contain(foot)
    expect((await ingress.call('GET', '/docs/errors')).text).to.not.contain('<footer')
  })

  it('links to the dashboard from every page, if there is one', async () => {
    const pages: Pages = {
      path: '/dashboard',
      front: '/front',
      assets: '/assets/',
      signIn: [],
      visitorOf: async () => undefined,
      heldVisitor: () => undefined,
      answer: (_request, response) => void response.end(),
    }
    await using withPages = await startIngress({ clock, pages: () => pages })
    for (const path of htmlPages) {
      const [, link = ''] = /href="([^"]+)">Dashboard</.exec((await withPages.call('GET', path)).text) ?? []
      expect(new URL(link, `https://example.com${path}`).href, path).to.equal('https://example.com/dashboard')
      expect((await ingress.call('GET', path)).text).to.not.contain('>Dashboard<')
    }
  })

  it('gives language models every operation, the guides, the forms and the prices', async () => {
    const { headers, text } = await ingress.call('GET', '/llms.txt')
    expect(headers.get('content-type')).to.match(/^text\/plain/)
    expect(text).to.match(/^# Video Intelligence Service\n\n> /)
    const full = (await ingress.call('GET', '/llms-full.txt')).text
    for (const [path, methods] of Object.entries(openapi.paths))
      for (const method of Object.keys(methods)) {
        expect(text).to.contain(`- \`${method.toUpperCase()} ${path}\`: `)
        expect(full).to.contain(`### ${method.toUpperCase()} ${path}\n`)
      }
    for (const name of guideNames) expect(text).to.contain(`(docs/guides/${name}): `)
    for (const told of [
      'resultJson',
      '"segments"',
      '`?format=srt`',
      'text/vtt',
      '29 USD per month',
      '| Extraction | 10 |',
    ])
      expect(text).to.contain(told)
    for (const name of Object.keys(openapi.components.schemas)) expect(full).to.contain(`### ${name}\n`)
    expect(full).to.contain('## Handling errors').and.to.contain('## Watches')
  })
})
