import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { inBrowser } from './house.ts'
import { troubleOnReturn } from './looks.ts'
import { sectionOf, signUp } from './people.ts'

const CAPTIONED = 'https://www.youtube.com/watch?v=nvlHourCh01'

inBrowser('without JavaScript one', (it) => {
  it('signs up, makes and revokes a key, makes and tries a webhook, tries a video, reads, searches and saves its transcript, signs out', async ({
    browse,
  }) => {
    const { page, ...customer } = await signUp(await browse({ javaScript: false }))
    expect(await page.getByRole('button', { name: 'Copy' }).count(), 'a button that could do nothing').to.equal(0)

    await page.goto(sectionOf(customer, 'keys'))
    await page.getByLabel('Name').fill('By hand')
    await page.getByRole('button', { name: 'Create key' }).click()
    expect(await page.locator('.copy-box code').first().textContent()).to.match(/^ma_\w+$/)
    await page.getByRole('link', { name: 'I’ve copied it' }).click()
    await page.getByRole('link', { name: 'Revoke By hand' }).click()
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByRole('status').filter({ hasText: 'The key is revoked' }).waitFor()

    await page.goto(sectionOf(customer, 'webhooks'))
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill('https://hooks.example.com/video')
    await page.getByRole('button', { name: 'Add webhook' }).click()
    expect(await page.locator('.copy-box code').first().textContent()).to.match(/^whsec_/)
    await page.getByRole('link', { name: 'I’ve copied it' }).click()
    await page.getByRole('link', { name: 'hooks.example.com' }).click()
    await page.getByRole('button', { name: 'Send a ping' }).click()
    await page.getByRole('status').filter({ hasText: 'A message is on its way' }).waitFor()
    const again = page.getByRole('button', { name: 'Resend: ' })
    await until('the page, loaded again, has the message', async () => {
      await page.reload()
      return (await again.count()) > 0
    })
    await again.first().click()
    await page.getByRole('status').filter({ hasText: 'The message is being resent' }).waitFor()
    await page.getByRole('button', { name: 'Resend events' }).click()
    await page.getByRole('status').filter({ hasText: 'Events since then are being resent' }).waitFor()

    await page.goto(sectionOf(customer, 'try/transcript'))
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(CAPTIONED)
    await page.getByLabel('Mode').selectOption('native')
    await page.getByRole('button', { name: 'Get the transcript' }).click()
    await page.getByRole('link', { name: 'Open the job' }).click()
    const transcript = page.getByRole('heading', { name: 'Transcript', exact: true })
    await until('the page, loaded again, has the transcript', async () => {
      await page.reload()
      return (await transcript.count()) > 0
    })
    await page.getByLabel('Find in the text').fill('dashwood')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('mark').first().waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'SRT' }).click()
    expect(await readFile(await (await saving).path(), 'utf8')).to.contain('-->')

    await page.setViewportSize({ width: 360, height: 700 })
    await page.getByText('Menu', { exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('status').filter({ hasText: 'You are signed out' }).waitFor()
  })

  it('requests a batch, leaves out its wrong line, sees its cost, begins it and saves its results; watches a channel and pauses it', async ({
    browse,
  }) => {
    const { page, ...customer } = await signUp(await browse({ javaScript: false }))
    const press = (name: string) => page.getByRole('button', { name }).first().click()
    await page.goto(sectionOf(customer, 'batches'))
    await page.getByRole('link', { name: 'New batch' }).click()
    expect(await page.getByLabel('Or choose a file').isVisible(), 'a field that could do nothing').to.equal(false)
    await page.getByLabel('URLs').fill(CAPTIONED)
    await press('Show the cost')
    await page.getByRole('heading', { name: 'Start this batch?' }).waitFor()
    expect(await troubleOnReturn(page, { isBrief: true })).to.deep.equal([])
    await page.getByLabel('URLs').fill(`${CAPTIONED}\nnowhere`)
    await page.getByLabel('Mode').selectOption('native')
    await press('Show the cost')
    await page.getByText('Line 2').waitFor()
    await press('Skip it')
    await page.getByText('1 video, 1 invalid line skipped').waitFor()
    await press('Start batch')
    await page.getByRole('status').filter({ hasText: 'The batch has started' }).waitFor()
    await until('the page, loaded again, has the results', async () => {
      await page.reload()
      return (await page.getByText('All results in one file').count()) > 0
    })
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'NDJSON' }).click()
    expect(JSON.parse(await readFile(await (await saving).path(), 'utf8'))).to.include({ url: CAPTIONED })

    await page.goto(sectionOf(customer, 'watches'))
    await page.getByLabel('Source to watch').fill('https://www.youtube.com/@longshelf')
    await press('Start watching')
    await page.getByRole('status').filter({ hasText: 'The watch is on' }).waitFor()
    await press('Pause')
    await page.getByText('Paused.', { exact: true }).waitFor()
  })
})
