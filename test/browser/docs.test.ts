/** The documentation in Chromium: its reference, its guides, at three widths, in both schemes, by keyboard, without scripts. */
import AxeBuilder from '@axe-core/playwright'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { guideNames } from '#services/ingress/routes/docs/guides.ts'
import { until } from '#test/doubles/service/until.ts'
import { inBrowser } from './house.ts'

async function openReference(page: Page): Promise<void> {
  await page.goto('/docs')
  await page.getByRole('heading', { name: 'Video Intelligence Service' }).waitFor()
  await page.getByText('Client Libraries').first().waitFor()
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Accessibility barriers: rules and places. */
async function barriers(page: Page): Promise<string[]> {
  // The renderer's editor of a value is a combobox that does not say whether it is open.
  const { violations } = await new AxeBuilder({ page }).exclude('.code-input-lite__editor').analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`)
}

inBrowser('the documentation', (it) => {
  it('finds an operation and tries it with a key that only the page has', async ({ house, browse }) => {
    const [key = ''] = /ma_\w+/.exec(await house.run('org', '--', 'create', 'Reader', '--json')) ?? []
    const browser = await browse()
    const page = await browser.tab()
    await openReference(page)
    await page.getByText('Value:').first().locator('..').getByRole('textbox').fill(key)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('your organization')
    await page.getByText('Get your organization').first().click()
    await page.getByRole('button', { name: /Test Request.*\/v1\/me\)/ }).click()
    const answered = page.waitForResponse((answer) => answer.url() === `${house.base}/v1/me`)
    await page.getByRole('button', { name: /^Send/ }).first().click()
    expect((await answered).status()).to.equal(200)
    await page.getByText('"Reader"').first().waitFor()
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(kept).to.not.contain(key)
  })

  for (const { width, scheme, path } of [
    { width: 390, scheme: 'dark', path: '/docs/errors' },
    { width: 768, scheme: 'light', path: '/docs/guides/credits' },
    { width: 1280, scheme: 'dark', path: '/docs/guides/formats' },
  ] as const)
    it(`fits ${width} pixels without a barrier, in the ${scheme} scheme`, async ({ browse }) => {
      const browser = await browse({ width, scheme })
      const page = await browser.tab()
      for (const each of [path, '/docs/guides/quickstart']) {
        await page.goto(each)
        expect([await overflow(page), await barriers(page)], each).to.deep.equal([0, []])
      }
      await openReference(page)
      expect([await overflow(page), width === 768 ? [] : await barriers(page)]).to.deep.equal([0, []])
    })

  it('is read by keyboard: past the head, and an example is copied', async ({ browse }) => {
    const browser = await browse()
    const page = await browser.tab()
    await page.goto('/docs/guides/quickstart')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).to.equal('main')
    await page.getByRole('button', { name: 'Copy' }).nth(1).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^curl -s http/)
  })

  it('is read without scripts: every guide, and on /docs where the guides and the operations are', async ({
    browse,
  }) => {
    const browser = await browse({ javaScript: false })
    const page = await browser.tab()
    await page.goto('/docs')
    await page.getByText('POST /v1/transcript').first().waitFor()
    expect(await page.getByRole('link', { name: 'openapi.json' }).getAttribute('href')).to.equal('openapi.json')
    await page.getByRole('link', { name: 'the guides' }).click()
    for (const name of guideNames.slice(1)) {
      await page.getByRole('link', { name: /^Next: / }).click()
      await until(`the guide ${name}`, () => page.url().endsWith(`/docs/guides/${name}`))
    }
    await page.goBack()
    await page.reload()
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })
})
