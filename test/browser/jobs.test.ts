import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { until } from '#test/doubles/service/until.ts'
import { inBrowser } from './house.ts'
import { CAPTIONED, type Customer, PRIVATE, SPOKEN, sectionOf, signUp, tryTranscript } from './people.ts'
import type { WatchedBrowser } from './watched-browser.ts'

/** A new customer who has requested a transcript by the form, and followed the link to the job. */
async function asked(browser: WatchedBrowser, url: string, mode: string): Promise<Customer> {
  const customer = await signUp(browser)
  const { page } = customer
  await tryTranscript(customer, url, mode)
  // The previous page has the job's timeline too.
  await page.waitForURL('**/jobs/*')
  await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  return customer
}

const creditsOf = async (page: Page, customer: { orgId: string }): Promise<string> => {
  await page.goto(sectionOf(customer))
  return (await page.locator('.stat').first().textContent()) ?? ''
}

inBrowser('a job', (it) => {
  it('is followed live from step to step, and its page becomes its transcript without a reload', async ({ browse }) => {
    const { page } = await asked(await browse(), SPOKEN, 'generate')
    // The followed page is shown before it is loaded.
    await page.waitForLoadState()
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    await page.getByText('Transcribing audio').first().waitFor()
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
    await page.getByText('Speech transcribed', { exact: true }).first().waitFor()
    expect(loads, 'pages loaded on the way').to.equal(0)
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).to.equal(0)
  })

  it('that is cancelled ends at once and refunds its credits', async ({ browse }) => {
    const { page, ...customer } = await asked(await browse(), SPOKEN, 'generate')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('status').filter({ hasText: 'The job is cancelled' }).waitFor()
    await page.getByText('0 charged, 5 refunded').waitFor()
    expect(await creditsOf(page, customer)).to.contain('50')
  })

  it('is searched while the visitor types; its times are links; its text is copied; it runs again', async ({
    browse,
  }) => {
    const { page } = await asked(await browse(), CAPTIONED, 'native')
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
    const segments = page.locator('.segments > li')
    const all = await segments.count()
    await page.getByLabel('Find in the text').fill('dashwood')
    await page.locator('mark').first().waitFor()
    expect(await segments.count()).to.be.lessThan(all)
    expect((await page.locator('mark').first().textContent())?.toLowerCase()).to.equal('dashwood')
    await page.getByRole('link', { name: 'Show all' }).click()
    await segments.nth(1).getByRole('link').first().click()
    await page.waitForURL(({ hash }) => /^#t=\d/.test(hash))
    await page.getByRole('button', { name: 'Copy text' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^And Mr\. John Dashwood/)
    const first = page.url().split('?')[0]?.split('#')[0]
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((url) => /\/jobs\/[\w-]+$/.test(url.pathname) && !url.href.startsWith(first ?? ''))
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
  })

  it('has a picture of its video on its page and in every list', async ({ browse }) => {
    const { page, ...customer } = await asked(await browse(), CAPTIONED, 'native')
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
    const { pathname } = new URL(page.url())
    for (const path of [pathname, sectionOf(customer, 'jobs'), sectionOf(customer)]) {
      await page.goto(path)
      const width = () => page.evaluate<number>(`document.querySelector('.thumbnail img')?.naturalWidth ?? 0`)
      await until('the picture is shown', async () => (await width()) === 320)
    }
  })

  it('of an extraction shows the request, and the answer as a tree', async ({ browse }) => {
    const { page, ...customer } = await signUp(await browse())
    await page.goto(sectionOf(customer, 'try/extract'))
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(CAPTIONED)
    await page.getByRole('button', { name: /extract/i }).click()
    await page.getByRole('link', { name: 'Open the job' }).click()
    await page.getByRole('heading', { name: 'Extraction' }).waitFor()
    await page.getByRole('heading', { name: 'Request' }).waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'JSON', exact: true }).click()
    expect((await saving).suggestedFilename()).to.match(/\.json$/)
  })

  it('that failed says in words what to do', async ({ browse }) => {
    const { page, ...customer } = await asked(await browse(), PRIVATE, 'native')
    await page.locator('.notice.bad').waitFor()
    expect((await page.locator('.notice.bad').textContent())?.length).to.be.greaterThan(60)
    expect(await creditsOf(page, customer)).to.contain('50')
  })
})
