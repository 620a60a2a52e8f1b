import { gzipSync } from 'node:zlib'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page, Request, Response } from 'playwright-core'
import type { Sight } from './sights.ts'

/** The parts that a page loads; not what it requests afterwards. */
const parts = ['document', 'stylesheet', 'script', 'font']

/** Accessibility barriers on the current page, by axe with all its rules: rule, what is wrong, where. */
export async function violationsOn(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${page.url()}: ${id}: ${help}: ${target.join(' ')} ${any[0]?.message ?? ''}`),
  )
}

/** This code is a text, because it runs in the page, which has the document but not our compiler's additions. */
const wideElements = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  const isBoxed = ({ parentElement: box }) =>
    box !== null && (/auto|scroll|hidden/.test(getComputedStyle(box).overflowX) || isBoxed(box))
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1 && !isBoxed(element))
  const words = wide.map(({ outerHTML }) => outerHTML.slice(0, 120))
  return ['the page is ' + scrollWidth + ' px wide in ' + clientWidth + ' px', ...words.slice(0, 5)]
})()`

/**
 * Elements that reach beyond the window, if no box around them scrolls. Empty: the page needs no sideways scrolling.
 */
export const overflowOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(wideElements)

/** The weight of a page and everything it loads except pictures, gzipped, bytes, with an empty cache. */
export async function weightOf(page: Page, path: string): Promise<number> {
  const bodies: Promise<Buffer>[] = []
  const weigh = (response: Response): void => {
    if (parts.includes(response.request().resourceType()) && response.ok()) bodies.push(response.body())
  }
  const fresh = await page.context().newPage()
  fresh.on('response', weigh)
  // While requests are routed, nothing comes from the cache.
  await fresh.route('**/*', (route) => route.continue())
  await fresh.goto(path, { waitUntil: 'load' })
  const weights = (await Promise.all(bodies)).map((body) => gzipSync(body).length)
  await fresh.close()
  return weights.reduce((sum, bytes) => sum + bytes, 0)
}

/** What differs if the page is reloaded, or left and reached again by Back: its heading, or a form is sent again. */
export async function troubleOnReturn(page: Page, { isBrief }: Pick<Sight, 'isBrief'>): Promise<string[]> {
  const heading = page.locator('h1').first()
  const before = await heading.innerText()
  const trouble: string[] = []
  const noteForm = (request: Request): void => {
    if (request.isNavigationRequest() && request.method() === 'POST') trouble.push(`${request.url()} is sent again`)
  }
  const compare = async (how: string): Promise<void> => {
    const after = await heading.innerText()
    if (after !== before && !isBrief) trouble.push(`${how}: "${after}" in place of "${before}"`)
  }
  page.on('request', noteForm)
  await page.reload()
  await compare('reloaded')
  await page.goto('/docs/guides')
  await page.goBack()
  await compare('by Back')
  page.off('request', noteForm)
  return trouble
}
