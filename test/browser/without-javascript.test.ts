import { expect } from 'chai'
import { inBrowser } from './house.ts'
import { troubleOnReturn } from './looks.ts'
import { CAPTIONED, reloadedUntil, savedFrom, sectionOf, signUp, tryTranscript } from './people.ts'

inBrowser('without JavaScript one', (it) => {
  it('signs up, makes and revokes a key, makes and tries a webhook, tries a video, reads, searches and saves its transcript, signs out', async ({
    browse,
  }) => {
    const customer = await signUp(await browse({ javaScript: false }))
    const { page } = customer
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
    await reloadedUntil(page, 'the message', again)
    await again.first().click()
    await page.getByRole('status').filter({ hasText: 'The message is being resent' }).waitFor()
    await page.getByRole('button', { name: 'Resend events' }).click()
    await page.getByRole('status').filter({ hasText: 'Events since then are being resent' }).waitFor()

    await tryTranscript(customer, CAPTIONED, 'native')
    await reloadedUntil(page, 'the transcript', page.getByRole('heading', { name: 'Transcript', exact: true }))
    await page.getByLabel('Find in the text').fill('dashwood')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('mark').first().waitFor()
    expect(await savedFrom(page, 'SRT')).to.contain('-->')

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
    await reloadedUntil(page, 'the results', page.getByText('All results in one file'))
    expect(JSON.parse(await savedFrom(page, 'NDJSON'))).to.include({ url: CAPTIONED })

    await page.goto(sectionOf(customer, 'watches'))
    await page.getByLabel('Source to watch').fill('https://www.youtube.com/@longshelf')
    await press('Start watching')
    await page.getByRole('status').filter({ hasText: 'The watch is on' }).waitFor()
    await press('Pause')
    await page.getByText('Paused.', { exact: true }).waitFor()
  })
})
