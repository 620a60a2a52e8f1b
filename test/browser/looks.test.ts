import { expect } from 'chai'
import { measured } from '#test/runner/measured.ts'
import { withChromium } from './chromium.ts'
import { browseHouse, inBrowser } from './house.ts'
import { overflowOf, troubleOnReturn, violationsOn, weightOf } from './looks.ts'
import { sectionOf, signUp } from './people.ts'
import { invite, type Onlookers, show, sights } from './sights.ts'
import type { WatchedBrowser } from './watched-browser.ts'

/** The most that a page and everything it loads except pictures may weigh, gzipped: half of the promised limit. */
const MOST_BYTES = 30_000

/** How a page is examined. At the narrowest width only the page's width is checked. */
const views = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 320, colorScheme: 'light' },
] as const

withChromium(() => {
  describe('every page in every state has no barriers, fits its window, is light, and is there again by reload and Back', function () {
    this.timeout(60_000)
    const closing = new AsyncDisposableStack()
    const browsers: WatchedBrowser[] = []
    const weights: [name: string, bytes: number][] = []
    let onlookers: Onlookers
    before(async function () {
      this.timeout(120_000)
      onlookers = await invite(async () => {
        const browser = closing.use(await browseHouse())
        browsers.push(browser)
        return browser
      })
    })
    after(async () => {
      await closing.disposeAsync()
      const heaviest = weights.toSorted(([, a], [, b]) => b - a).slice(0, 3)
      const words = heaviest.map(([name, bytes]) => `${name} ${(bytes / 1000).toFixed(1)} kB`)
      measured(`the heaviest pages: ${words.join(', ')}`)
    })

    for (const sight of sights)
      it(sight.name, async () => {
        const page = await show(sight, onlookers)
        const wrong: string[] = []
        for (const { width, colorScheme } of views) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          const found = [...(width === 320 ? [] : await violationsOn(page)), ...(await overflowOf(page))]
          wrong.push(...found.map((words) => `${width} px, ${colorScheme}: ${words}`))
        }
        await page.setViewportSize({ width: 1280, height: 900 })
        const bytes = await weightOf(page, page.url())
        weights.push([sight.name, bytes])
        wrong.push(...(await troubleOnReturn(page, sight)))
        expect([...wrong, ...browsers.flatMap((browser) => browser.takeComplaints())]).to.deep.equal([])
        expect(bytes).to.be.at.most(MOST_BYTES)
      })
  })
})

inBrowser('every section', (it) => {
  it('is reached from the menu of a phone', async ({ browse }) => {
    const { page, ...customer } = await signUp(await browse({ width: 390, height: 800 }))
    for (const section of [
      'Overview',
      'Jobs',
      'Try it',
      'Batches',
      'Watches',
      'Keys',
      'Usage',
      'Members',
      'Settings',
    ]) {
      await page.goto(sectionOf(customer))
      await page.getByText('Menu', { exact: true }).click()
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: section }).click()
      await page.getByRole('heading', { level: 1, name: section }).waitFor()
    }
  })
})
