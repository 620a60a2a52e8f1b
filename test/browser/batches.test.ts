import { expect } from 'chai'
import { inBrowser } from './house.ts'
import { CAPTIONED, PRIVATE, savedFrom, sectionOf, signUp } from './people.ts'

inBrowser('a batch', (it) => {
  it('is made from a file, begins after its cost was shown, and is followed live until its results are there', async ({
    browse,
  }) => {
    const { page, ...customer } = await signUp(await browse())
    await page.goto(sectionOf(customer, 'batches/new'))
    const table = `title,url\nFirst,${CAPTIONED}\nNone,${PRIVATE}\nAgain,${CAPTIONED}\nWrong,nowhere\n`
    await page
      .getByLabel('Or choose a file')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(table) })
    await page.getByLabel('Mode').selectOption('native')
    await page.getByRole('button', { name: 'Show the cost' }).click()
    await page.getByText('Line 5').waitFor()
    await page.getByRole('button', { name: 'Skip it' }).click()
    await page.getByText('2 videos, 1 duplicates, processed and charged once, 1 invalid line skipped').waitFor()
    await page.getByRole('button', { name: 'Start batch' }).click()
    await page.getByRole('heading', { name: 'Transcripts of 2 videos' }).waitFor()
    await page.waitForLoadState()
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    await page.getByText('charged of 2, 1 refunded').waitFor()
    expect(loads, 'pages loaded on the way').to.equal(0)
    await page.getByRole('link', { name: 'Failed 1' }).click()
    await page.getByRole('link', { name: 'Job', exact: false }).last().waitFor()
    expect(await savedFrom(page, 'CSV')).to.contain(CAPTIONED)
  })

  it('names a file that is too long for a page', async ({ browse }) => {
    const { page, ...customer } = await signUp(await browse())
    await page.goto(sectionOf(customer, 'batches/new'))
    const buffer = Buffer.from(`${CAPTIONED}\n`.repeat(10_000))
    await page.getByLabel('Or choose a file').setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer })
    await page.getByText('long.txt is too long for a page').waitFor()
    expect(await page.getByLabel('URLs').inputValue()).to.equal('')
  })
})
