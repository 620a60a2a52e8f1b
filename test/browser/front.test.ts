import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { inBrowser } from './house.ts'
import { sectionOf, signUp } from './people.ts'

inBrowser('a stranger', (it) => {
  it('finds plans and documentation from / and comes back, with and without JavaScript', async ({ browse }) => {
    for (const javaScript of [true, false]) {
      const page = await (await browse({ javaScript })).tab()
      await page.goto('/')
      const heading = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
      const atFront = () => page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans' }).click()
      await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
      await page.reload()
      await page.goBack()
      await atFront()
      await page.getByRole('link', { name: 'Read the docs' }).click()
      await page.waitForURL('**/docs')
      await page.goBack()
      await page.reload()
      await atFront()
      await page.getByRole('link', { name: /free credits/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Sign up' }).waitFor()
    }
  })

  it('copies the call from /, puts a key in it and has the transcript', async ({ browse }) => {
    const { page, key } = await signUp(await browse())
    const front = await (await browse()).tab()
    await front.goto('/')
    await front.getByRole('button', { name: 'Copy' }).click()
    await front.getByRole('button', { name: 'Copied' }).waitFor()
    const call = await front.evaluate<string>('navigator.clipboard.readText()')
    const { stdout } = await promisify(execFile)('sh', ['-c', call.replace('YOUR_KEY', key)])
    const { status, resultJson } = JSON.parse(stdout)
    expect(status).to.equal('completed')
    expect(resultJson.segments[0]).to.include.keys('start', 'end', 'text')
    await page.goto('/')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
})

inBrowser('a member', (it) => {
  it('requests a plan once, even if the page is reloaded or reached by Back', async ({ browse }) => {
    const { page, ...customer } = await signUp(await browse())
    await page.goto(sectionOf(customer))
    await page.getByRole('link', { name: 'Compare plans' }).click()
    await page.getByRole('button', { name: 'Request Starter' }).click()
    const said = page.getByText('You requested Starter')
    await said.waitFor()
    await page.reload()
    await page.goBack()
    await page.goForward()
    await said.waitFor()
    expect(await page.getByRole('button', { name: 'Request Starter' }).count()).to.equal(0)
  })
})
