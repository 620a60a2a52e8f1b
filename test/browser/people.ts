import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { WatchedBrowser } from './watched-browser.ts'

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

/** The path of a section of a customer's organization. */
export const sectionOf = ({ orgId }: { orgId: string }, section = ''): string =>
  `/dashboard/org/${orgId}${section && `/${section}`}`
