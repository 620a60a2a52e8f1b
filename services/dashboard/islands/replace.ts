/** Starts the islands of an element and within it. */
export type Mount = (element: HTMLElement) => void

/** `shows`: whether the page in this answer is to be shown. Default: if its status is 200. */
type Asking = { headers?: Record<string, string>; shows?: (response: Response) => boolean }

/**
 * Requests a page, and replaces the shown element that has this id with the one from that page, unless both say the
 * same.
 * @returns false if the server did not answer with such a page
 */
export async function replaceFromServer(
  id: string,
  address: string,
  mount: Mount,
  { headers = {}, shows = ({ ok }) => ok }: Asking = {},
): Promise<boolean> {
  const response = await fetch(address, { headers }).catch(() => undefined)
  if (response === undefined || !shows(response)) return false
  // The session has ended. The sign-in page says what to do next.
  if (response.redirected) {
    location.assign(response.url)
    return false
  }
  return replaceFrom(response, id, mount, (fresh, shown) => wordsOf(fresh) !== wordsOf(shown))
}

/**
 * Replaces the shown element that has this id with the one from the page in this answer. The focus stays on its
 * element, if that still exists.
 * @param isNews whether to replace it. Default: always
 * @returns false if the answer has no such page
 */
export async function replaceFrom(
  response: Response,
  id: string,
  mount: Mount,
  isNews: (fresh: HTMLElement, shown: HTMLElement) => boolean = () => true,
): Promise<boolean> {
  const made = new DOMParser().parseFromString(await response.text(), 'text/html')
  const [fresh, shown] = [made.getElementById(id), document.getElementById(id)]
  if (fresh === null || shown === null) return false
  document.title = made.title
  if (!isNews(fresh, shown)) return true
  const focused = shown.contains(document.activeElement) ? document.activeElement : null
  const placed = document.importNode(fresh, true)
  shown.replaceWith(placed)
  mount(placed)
  if (focused !== null) (sameLink(placed, focused) ?? placed).focus({ preventScroll: true })
  return true
}

/** The text of an element, independent of the time zone that its times are shown in. */
function wordsOf(element: HTMLElement): string {
  const copy = element.cloneNode(true) as HTMLElement
  for (const each of copy.querySelectorAll('time, [data-island=zone]'))
    each.textContent = each.getAttribute('datetime') ?? ''
  return copy.textContent
}

const sameLink = (root: HTMLElement, { attributes }: Element): HTMLElement | null => {
  const href = attributes.getNamedItem('href')?.value
  return href === undefined ? null : root.querySelector(`a[href="${CSS.escape(href)}"]`)
}
