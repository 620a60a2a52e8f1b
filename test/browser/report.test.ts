import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { openTables } from '#ops/analysts/open-tables.ts'
import { reportPage } from '#ops/analysts/report/report-page.tsx'
import { madeArchive } from '#ops/analysts/tables.harness.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { withChromium } from './chromium.ts'
import { launch } from './house.ts'
import { overflowOf, violationsOn } from './looks.ts'

const views = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 320, colorScheme: 'dark' },
] as const

const unfold = (which: string): string => `for (const each of document.querySelectorAll('${which}')) each.open = true`

withChromium(() => {
  describe('the report of npm run history', function () {
    this.timeout(240_000)

    it('has no barriers, fits its window, and makes no requests', async () => {
      await using opened = new AsyncDisposableStack()
      const folder = opened.use(await temporaryDirectory())
      const tables = opened.use(await openTables(await madeArchive()))
      const file = join(folder.path, 'report.html')
      await writeFile(file, await reportPage(tables.connection))
      const browser = opened.adopt(await launch(), (each) => each.close())
      for (const { width, colorScheme } of views) {
        // Ignores the page's policy, which would block axe: it adds a script to the page.
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true })
        const page = await context.newPage()
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        await page.goto(pathToFileURL(file).href)
        await page.evaluate(unfold('details:has(> pre)'))
        expect(await violationsOn(page)).to.deep.equal([])
        // Leaves these tables out: axe takes a minute for all cells of the folded tables, which are like the other
        // cells.
        await page.evaluate(unfold('details'))
        expect(await overflowOf(page)).to.deep.equal([])
        expect(asked).to.deep.equal([pathToFileURL(file).href])
        await context.close()
      }
    })
  })
})
