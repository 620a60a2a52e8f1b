import { expect } from 'chai'
import { generateSync } from 'otplib'
import { inBrowser, launch } from './house.ts'
import { newEmail, PASSWORD, SPOKEN, sectionOf, sendSignIn, signIn, signUp } from './people.ts'
import { WatchedBrowser } from './watched-browser.ts'

const NEW_PASSWORD = 'seven quiet lamps below the stairs'

inBrowser('people', (it) => {
  it('get the same answer for a wrong password as for an unknown address', async ({ browse }) => {
    const { email } = await signUp(await browse())
    const page = await (await browse()).tab()
    const messages: string[] = []
    for (const given of [{ email, password: 'not the right one at all' }, { email: newEmail() }]) {
      await page.goto('/dashboard/sign-in')
      await sendSignIn(page, given)
      messages.push((await page.getByRole('alert').textContent()) ?? '')
      expect(await page.getByLabel('E-mail').inputValue(), 'what was typed is still there').to.equal(given.email)
      expect(await page.getByLabel('Password', { exact: true }).inputValue()).to.equal('')
    }
    expect(messages[0]).to.contain('wrong')
    expect(messages[1]).to.equal(messages[0])
  })

  it('see what is wrong with a password before an account is made', async ({ browse }) => {
    const page = await (await browse()).tab()
    await page.goto('/dashboard/sign-up')
    await page.getByLabel('Organization').fill('Reading circle')
    await page.getByLabel('E-mail').fill(newEmail())
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.locator('.problem').waitFor()
    const field = page.getByLabel('Password', { exact: true })
    expect(await field.getAttribute('aria-invalid')).to.equal('true')
    expect(await page.locator('.problem').textContent()).to.contain('15')
    expect(await page.getByLabel('Organization').inputValue()).to.equal('Reading circle')
    expect(await field.inputValue(), 'no server sends it back: the page has kept it').to.equal('short')
    await field.fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByRole('heading', { name: 'Your first API key' }).waitFor()
  })

  it('choose a new password by a link that works once and ends every session', async ({ browse, house }) => {
    const { page: old, email } = await signUp(await browse())
    const printed = await house.run('accounts', '--', 'reset', email)
    const [link = ''] = /http:\S+\/reset\S+/.exec(printed) ?? []
    const page = await (await browse()).tab()
    const choose = async (): Promise<void> => {
      await page.goto(link)
      await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    await choose()
    await page.getByRole('status').filter({ hasText: 'Your password is changed' }).waitFor()
    await old.goto('/dashboard/')
    expect(new URL(old.url()).pathname).to.equal('/dashboard/sign-in')
    await sendSignIn(page, { email })
    await page.getByRole('alert').filter({ hasText: 'wrong' }).waitFor()
    await choose()
    await page.getByRole('alert').waitFor()
    await signIn(await browse(), { email, password: NEW_PASSWORD })
  })

  it('end all other sessions by changing the password, even one with a page that updates live', async ({ browse }) => {
    const { page, email, key, ...customer } = await signUp(await browse())
    const other = await signIn(await browse(), { email })
    const headers = { 'x-api-key': key }
    const accepted = await page.request.post('/v1/transcript', { headers, data: { url: SPOKEN, mode: 'generate' } })
    const { jobId } = await accepted.json()
    await other.goto(sectionOf(customer, `jobs/${jobId}`))
    await other.getByText('Looking up the video').first().waitFor()

    await page.goto('/dashboard/account')
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('status').filter({ hasText: 'You are signed out everywhere else' }).waitFor()
    await other.waitForURL(/\/sign-in/)
    await page.goto('/dashboard/account')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  it('turn on two-factor, sign in by a code once, and are let in by an operator if they lose it', async ({
    browse,
    house,
  }) => {
    const { page, email } = await signUp(await browse())
    await page.goto('/dashboard/account/two-factor')
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    const secret = (await page.locator('.copy-box code').textContent()) ?? ''
    const codeIn = (seconds: number): string => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + seconds })
    await page.getByLabel('Code').fill(codeIn(0))
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const [recovery = ''] = ((await page.locator('.copy-box code').textContent()) ?? '').split('\n')
    await page.reload()
    await page.getByText('Recovery codes left: 10').waitFor()

    const enter = async (code: string) => {
      const other = await (await browse()).tab()
      await other.goto('/dashboard/sign-in')
      await sendSignIn(other, { email })
      await other.goto('/dashboard/account')
      expect(new URL(other.url()).pathname, 'before the code').to.equal('/dashboard/sign-in')
      await other.goto('/dashboard/sign-in/code')
      await other.getByLabel('Code').fill(code)
      await other.getByRole('button', { name: 'Sign in' }).click()
      return other
    }
    const next = codeIn(30)
    await (await enter(next)).getByRole('heading', { name: 'Overview' }).waitFor()
    await (await enter(next)).locator('.problem').filter({ hasText: 'already used' }).waitFor()
    await (await enter(recovery)).getByRole('heading', { name: 'Overview' }).waitFor()

    await house.run('accounts', '--', 'reset-second-factor', email)
    await signIn(await browse(), { email })
  })

  it('read times in their own zone, and in UTC in the tooltip; without a script in UTC', async ({ browse }) => {
    const { page, email } = await signUp(await browse({ timeZone: 'Asia/Kathmandu' }))
    await page.goto('/dashboard/account')
    const shown = page.locator('dl.facts time')
    const at = new Date((await shown.getAttribute('datetime')) ?? '')
    const utc = at.toISOString().slice(0, 16).replace('T', ' ')
    const there = new Date(at.getTime() + 345 * 60_000).toISOString().slice(0, 16).replace('T', ' ')
    expect([await shown.textContent(), await shown.getAttribute('title')]).to.deep.equal([there, `${utc} UTC`])
    const plain = await signIn(await browse({ timeZone: 'Asia/Kathmandu', javaScript: false }), { email })
    await plain.goto('/dashboard/account')
    expect(await plain.locator('dl.facts time').textContent()).to.equal(utc)
  })

  it('sign out in one tab, and the next page of another one asks them to sign in and then leads there', async ({
    browse,
  }) => {
    const browser = await browse()
    const { page, email, ...customer } = await signUp(browser)
    const other = await browser.tab()
    await page.goto(sectionOf(customer))
    await other.goto(sectionOf(customer))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('status').filter({ hasText: 'You are signed out' }).waitFor()
    expect(await browser.cookies()).to.not.include('__Host-session')
    await other.getByRole('link', { name: 'Usage' }).click()
    await sendSignIn(other, { email })
    await other.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
  })

  it('see nothing of their session by going back after they signed out, even if the browser keeps pages in memory', async ({
    house,
  }) => {
    await using opened = new AsyncDisposableStack()
    // Tests usually run without the pages that Chromium keeps in memory for going back.
    const keeping = opened.adopt(await launch({ ignoreDefaultArgs: ['--disable-back-forward-cache'] }), (browser) =>
      browser.close(),
    )
    const browser = opened.use(await WatchedBrowser.begin(keeping, house.base))
    const { page, ...customer } = await signUp(browser)
    await page.goto(sectionOf(customer, 'members'))
    await page.getByRole('cell', { name: customer.email }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('status').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.locator('body').textContent()).to.not.contain(customer.email)
    expect(browser.complaints).to.deep.equal([])
  })

  it('get an explanation, and no form, at an address where browsers cannot keep a session', async ({ house }) => {
    await using opened = new AsyncDisposableStack()
    const args = ['--host-resolver-rules=MAP dashboard.test 127.0.0.1']
    const elsewhere = opened.adopt(await launch({ args }), (browser) => browser.close())
    const base = `http://dashboard.test:${new URL(house.base).port}`
    const browser = opened.use(await WatchedBrowser.begin(elsewhere, base))
    const page = await browser.tab()
    for (const path of ['sign-in', 'sign-up']) {
      await page.goto(`/dashboard/${path}`)
      await page.getByRole('heading', { name: 'Open the dashboard at another address' }).waitFor()
      expect(await page.locator('form').count()).to.equal(0)
    }
  })
})
