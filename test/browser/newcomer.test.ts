import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { measured } from '#test/runner/measured.ts'
import { withChromium } from './chromium.ts'
import { openHouse } from './house.ts'
import { savedFrom, signUp } from './people.ts'
import { WatchedBrowser } from './watched-browser.ts'

/**
 * Seconds of machine time from `npm start` to the first transcript. The goal is a minute, and it takes a fraction of
 * it.
 */
const MOST_SECONDS = 180

withChromium(() => {
  describe('a newcomer', function () {
    this.timeout(300_000)

    it('signs up, runs the command on the page, sees the job and its transcript, and saves it as subtitles', async () => {
      await using house = await openHouse()
      await using browser = await WatchedBrowser.begin(house.browser, house.base)
      const { page } = await signUp(browser)

      const command = await page.locator('.copy-box code').nth(1).textContent()
      const { stdout } = await promisify(execFile)('bash', ['-euc', command ?? ''], { timeout: 120_000 })
      const { jobId } = JSON.parse(stdout)
      expect(jobId, stdout).to.be.a('string')

      await page.getByRole('link', { name: 'Go to your overview' }).click()
      await page.locator(`a[href$="/jobs/${jobId}"]`).first().click()
      await page.getByText('And Mr. John Dashwood').first().waitFor()
      const seconds = (performance.now() - house.startedAt) / 1000
      await page.getByText('Credits settled').waitFor()
      for (const entry of ['Accepted', 'Video found', 'Captions found', 'Completed'])
        expect(await page.getByText(entry, { exact: true }).count(), entry).to.be.greaterThan(0)

      expect(await savedFrom(page, 'SRT')).to.match(
        /^1\r?\n00:00:00,000 --> 00:00:0\d,\d{3}\r?\nAnd Mr\. John Dashwood/,
      )

      expect(browser.complaints).to.deep.equal([])
      measured(`from npm start to the first transcript in the browser: ${seconds.toFixed(1)} s`)
      expect(seconds).to.be.at.most(MOST_SECONDS)
    })
  })
})
