import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { inBrowser } from './house.ts'
import { CAPTIONED, newEmail, PASSWORD, sectionOf, signUp } from './people.ts'

/** More elements than any page has. */
const MOST_STEPS = 80

/**
 * The element with the focus: its words, and whether the focus is visible. This code is a text, because it runs in the
 * page.
 */
const focused = `(() => {
  const element = document.activeElement
  const style = getComputedStyle(element)
  const words = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? ''
  return { words: words.trim(), isShown: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 }
})()`

/** Presses Tab until the wanted element has the focus. The focus must be visible on every element on the way. */
async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    await page.keyboard.press('Tab')
    const { words, isShown } = await page.evaluate<{ words: string; isShown: boolean }>(focused)
    expect(isShown || words.length > 500, `one sees that “${words.slice(0, 60)}” has the focus`).to.equal(true)
    if (wanted.test(words)) return
  }
  throw new Error(`Tab does not lead to ${wanted}`)
}

const handsOn = (page: Page) => ({
  async type(label: RegExp, text: string): Promise<void> {
    await tabTo(page, label)
    await page.keyboard.type(text)
  },
  async press(words: RegExp): Promise<void> {
    await tabTo(page, words)
    await page.keyboard.press('Enter')
  },
})

inBrowser('by keyboard only one', (it) => {
  it('signs up, copies the key, tries a video, reaches its transcript and signs out', async ({ browse }) => {
    const page = await (await browse()).tab()
    const { type, press } = handsOn(page)
    await page.goto('/dashboard/sign-up')
    await type(/^Organization/, 'Reading circle')
    await type(/^E-mail/, newEmail())
    await type(/^Password/, PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your first API key' }).waitFor()
    await press(/^Copy$/)
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await press(/^Go to your overview$/)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await press(/^Skip to/)
    await press(/^Try it in the browser$/)
    await page.getByRole('heading', { level: 1, name: 'Transcript' }).waitFor()
    // Sends the form at once: the example's URL is filled in.
    await press(/^Get the transcript$/)
    await page.getByRole('link', { name: 'Open the job' }).waitFor()
    await press(/^Open the job$/)
    await page.getByRole('heading', { level: 2, name: 'Transcript', exact: true }).waitFor()
    await press(/^Sign out$/)
    await page.getByRole('status').filter({ hasText: 'You are signed out' }).waitFor()
  })

  it('makes a batch and leaves it, and watches a channel', async ({ browse }) => {
    const { page, ...customer } = await signUp(await browse())
    const { type, press } = handsOn(page)
    await page.goto(sectionOf(customer, 'batches'))
    await press(/^New batch$/)
    await page.getByRole('heading', { level: 1, name: 'New batch' }).waitFor()
    await type(/^URLs/, CAPTIONED)
    await press(/^Show the cost$/)
    await page.getByRole('heading', { level: 1, name: 'Start this batch?' }).waitFor()
    await press(/^Start batch$/)
    await page.getByRole('heading', { level: 1, name: 'Transcripts of 1 video' }).waitFor()
    await page.goto(sectionOf(customer, 'watches'))
    await type(/^Source to watch/, 'https://www.youtube.com/@longshelf')
    await press(/^Start watching$/)
    await page.getByRole('status').filter({ hasText: 'The watch is on' }).waitFor()
  })

  it('reaches sign-up from / through the plans', async ({ browse }) => {
    const page = await (await browse()).tab()
    const { press } = handsOn(page)
    await page.goto('/')
    await press(/^Skip to content$/)
    await press(/^Copy$/)
    await press(/^What each operation costs$/)
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
    await press(/^Start free$/)
    await page.getByRole('heading', { level: 1, name: 'Sign up' }).waitFor()
  })
})
