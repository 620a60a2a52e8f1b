import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** Barriers on a page as it is, by axe with all its rules: rule, what is wrong, where. */
export async function violationsOn(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${page.url()}: ${id}: ${help}: ${target.join(' ')} ${any[0]?.message ?? ''}`),
  )
}

/** Runs in the page, so it is text: it knows the document, and our compiler's additions do not. */
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

/** Elements that reach beyond the window, where no box around them scrolls. Empty: nobody has to scroll sideways. */
export const overflowOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(wideElements)

/** What a page and all that it loads but pictures weigh, bytes without compression, where nothing is in the cache. */
export async function weightOf(page: Page, path: string): Promise<number> {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  const pictures = new Set<string>()
  let bytes = 0
  client.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Image') pictures.add(requestId)
  })
  client.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (!pictures.has(requestId)) bytes += dataLength
  })
  await page.goto(path, { waitUntil: 'load' })
  await client.detach()
  return bytes
}
