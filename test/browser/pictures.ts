/**
 * `npm run pictures`: pictures of every page of the dashboard in every state, in three widths and both schemes, in
 * test/browser/pictures. They are for people to look at; tests check what a tool can find. `npm run pictures -- WORD…`
 * takes only those with one of the words in their names.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { browseHouse, closeHouse, house, PICTURES } from './house.ts'
import { invite, show, sights } from './sights.ts'
import type { WatchedBrowser } from './watched-browser.ts'

const WIDTHS = [360, 768, 1280]
const SCHEMES = ['light', 'dark'] as const

const words = process.argv.slice(2)
const wanted = sights.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))

await using closing = new AsyncDisposableStack()
closing.defer(closeHouse)
const browse = async (): Promise<WatchedBrowser> => closing.use(await browseHouse())
// Plans show the rates that customers have.
await house({ RATE_HEAVY_FACTOR: '1' })
const onlookers = await invite(browse)
await mkdir(PICTURES, { recursive: true })
for (const sight of wanted) {
  const page = await show(sight, onlookers)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      // A page that was scrolled to its answer: what stays in place stands at the top of the picture.
      await page.evaluate('scrollTo(0, 0)')
      const name = `${sight.name.replaceAll(' ', '-')}-${width}-${colorScheme}.png`
      await page.screenshot({ path: join(PICTURES, name), fullPage: true })
    }
  }
}
console.log(`${wanted.length * WIDTHS.length * SCHEMES.length} pictures are in ${PICTURES}`)
