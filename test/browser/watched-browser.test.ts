/** The watch over every page finds faults: here is a faulty page for each kind. */
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { until } from '#test/doubles/service/until.ts'
import { withChromium } from './chromium.ts'
import { launch } from './house.ts'
import { overflowOf, violationsOn, weightOf } from './looks.ts'
import { WatchedBrowser } from './watched-browser.ts'

const head = '<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">'

const pages: Record<string, string> = {
  '/good': `${head}<main><h1>Good</h1></main>`,
  '/style': `${head}<main><h1 style="color: red">Styled</h1></main>`,
  '/stranger': `${head}<main><h1>A</h1><script nonce="n">fetch('http://localhost:9/').catch(() => undefined)</script></main>`,
  '/missing': `${head}<link rel="stylesheet" nonce="n" href="/nowhere.css"><main><h1>A</h1></main>`,
  '/logs': `${head}<main><h1>A</h1><script nonce="n">console.error('oh')</script></main>`,
  '/throws': `${head}<main><h1>A</h1><script nonce="n">setTimeout(() => { throw new Error('oh') })</script></main>`,
  '/broken': `${head}<main><h1>A</h1></main>`,
  '/wide': `${head}<meta name="viewport" content="width=device-width"><main><h1>A</h1><pre>${'wide '.repeat(200)}</pre></main>`,
  '/unlabelled': `${head}<main><h1>A</h1><input></main>`,
}
const policies: Record<string, string> = { '/stranger': "script-src 'nonce-n'" }

withChromium(() => {
  describe('the watch over every page', () => {
    const server = createServer(({ url = '' }, response) => {
      const policy = policies[url] ?? "default-src 'self'; img-src data:; script-src 'nonce-n'"
      const status = url === '/broken' ? 500 : url in pages ? 200 : 404
      response.writeHead(status, { 'content-type': 'text/html', 'content-security-policy': policy })
      response.end(pages[url] ?? '')
    })
    const opened = new AsyncDisposableStack()
    let browser: Browser
    let base: string
    before(async () => {
      base = `http://127.0.0.1:${opened.use(await onLoopback(server)).port}`
      browser = opened.adopt(await launch(), (each) => each.close())
    })
    after(() => opened.disposeAsync())

    it('finds nothing wrong with a good page', async () => {
      await using watched = await WatchedBrowser.begin(browser, base, { width: 320 })
      const page = await watched.tab()
      await page.goto('/good')
      expect(await violationsOn(page)).to.deep.equal([])
      expect(await overflowOf(page)).to.deep.equal([])
      expect(watched.complaints).to.deep.equal([])
    })

    for (const [what, path, sign] of [
      ['a broken content security policy', '/style', 'CSP'],
      ['a request to another origin', '/stranger', 'asks http://localhost:9/'],
      ['a part that is not there', '/missing', 'nowhere.css is answered 404'],
      ['an error in the console', '/logs', 'logs oh'],
      ['an exception', '/throws', 'throws oh'],
      ['a page that failed', '/broken', 'is answered 500'],
    ] as const)
      it(`finds ${what}`, async () => {
        await using watched = await WatchedBrowser.begin(browser, base)
        await (await watched.tab()).goto(path)
        await until(`it finds ${what}`, () => watched.complaints.some((complaint) => complaint.includes(sign)))
      })

    it('finds what is wider than the window, and a field without a name', async () => {
      await using watched = await WatchedBrowser.begin(browser, base, { width: 320 })
      const page = await watched.tab()
      await page.goto('/wide')
      expect(await overflowOf(page)).to.not.deep.equal([])
      await page.goto('/unlabelled')
      expect((await violationsOn(page)).join()).to.contain('label')
    })

    it('weighs all that a page loads', async () => {
      await using watched = await WatchedBrowser.begin(browser, base)
      expect(await weightOf(await watched.tab(), '/good')).to.equal(gzipSync(pages['/good'] ?? '').length)
    })
  })
})
