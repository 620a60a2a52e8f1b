import { expect } from 'chai'
import { inBrowser } from './house.ts'
import { sectionOf, signUp } from './people.ts'

inBrowser('a key', (it) => {
  it('is made with limits, shown once, used, and revoked after its name was typed', async ({ browse, house }) => {
    const { page, ...customer } = await signUp(await browse())
    const keys = sectionOf(customer, 'keys')
    await page.goto(keys)
    await page.getByLabel('Name').fill('Nightly import')
    expect(await page.getByLabel('Manage keys').isChecked(), 'by default').to.equal(false)
    await page.getByLabel('Credits per month').fill('20')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Your new key: Nightly import' }).waitFor()
    const key = (await page.locator('.copy-box code').first().textContent()) ?? ''
    const call = (path: string) => fetch(house.base + path, { headers: { 'x-api-key': key } })
    expect((await call('/v1/me')).status).to.equal(200)
    expect((await call('/v1/keys')).status, 'it manages no keys').to.equal(403)

    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(key)

    await page.getByRole('link', { name: 'I’ve copied it' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Nightly import' })
    expect(await row.textContent()).to.contain('0 of 20')
    expect(await page.content(), 'it is shown once').to.not.contain(key)

    await page.getByRole('link', { name: 'Revoke Nightly import' }).click()
    expect((await call('/v1/me')).status, 'the link alone revokes nothing').to.equal(200)
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByRole('status').filter({ hasText: 'The key is revoked' }).waitFor()
    expect(await page.getByRole('link', { name: 'Revoke Nightly import' }).count()).to.equal(0)
    expect((await call('/v1/me')).status).to.equal(401)
  })
})
