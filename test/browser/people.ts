import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { until } from '#test/doubles/service/until.ts'
import type { WatchedBrowser } from './watched-browser.ts'

/** Videos of the sandbox: with captions, private, and with half a minute of speech, which takes some seconds. */
export const CAPTIONED = 'https://www.youtube.com/watch?v=nvlHourCh01'
export const PRIVATE = 'https://www.youtube.com/watch?v=nvlPrivate1'
export const SPOKEN = 'http://films.example.com/sense-and-sensibility.mp4'

/** A password that is long and not common. */
export const PASSWORD = 'nine green umbrellas on a roof'

/** A person who has signed up, and the tab in which they did. */
export type Customer = { page: Page; email: string; orgId: string; key: string }

export type SigningUp = { organization?: string; email?: string }

/** An address without an account. */
export const newEmail = (): string => `ada-${randomBytes(6).toString('hex')}@example.com`

/** Fills and sends the form on the open page. The tab then shows the first key. */
export async function sendSignUp(page: Page, given: SigningUp): Promise<void> {
  const { organization = 'Reading circle', email = newEmail() } = given
  await page.getByLabel('Organization').fill(organization)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'Your first API key' }).waitFor()
}

/** Signs up in a new person's browser. */
export async function signUp(
  browser: WatchedBrowser,
  { email = newEmail(), ...given }: SigningUp = {},
): Promise<Customer> {
  const page = await browser.tab()
  await page.goto('/dashboard/sign-up')
  await sendSignUp(page, { email, ...given })
  const key = (await page.locator('.copy-box code').first().textContent()) ?? ''
  const href = await page.getByRole('link', { name: 'Go to your overview' }).getAttribute('href')
  return { page, email, orgId: href?.split('/').at(-1) ?? '', key }
}

export type SigningIn = { email: string; password?: string }

/** Fills and sends the form on the open page. */
export async function sendSignIn(page: Page, { email, password = PASSWORD }: SigningIn): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in in a new person's browser. */
export async function signIn(browser: WatchedBrowser, given: SigningIn): Promise<Page> {
  const page = await browser.tab()
  await page.goto('/dashboard/sign-in')
  await sendSignIn(page, given)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return page
}

/** Requests a transcript by the form, and follows the link to the job. */
export async function tryTranscript({ page, ...customer }: Customer, url: string, mode: string): Promise<void> {
  await page.goto(sectionOf(customer, 'try/transcript'))
  await page.getByRole('textbox', { name: 'URL', exact: true }).fill(url)
  await page.getByLabel('Mode').selectOption(mode)
  await page.getByRole('button', { name: 'Get the transcript' }).click()
  await page.getByRole('link', { name: 'Open the job' }).click()
}

/** Saves the file behind a link. @returns its content */
export async function savedFrom(page: Page, link: string): Promise<string> {
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: link }).click()
  return readFile(await (await saving).path(), 'utf8')
}

/** Loads the page again until it shows this. */
export const reloadedUntil = (page: Page, what: string, shown: Locator): Promise<unknown> =>
  until(`the page, loaded again, has ${what}`, async () => {
    await page.reload()
    return (await shown.count()) > 0
  })

/** The path of a section of a customer's organization. */
export const sectionOf = ({ orgId }: { orgId: string }, section = ''): string =>
  `/dashboard/org/${orgId}${section && `/${section}`}`
