/** Makes an element and the islands within it live. */
export type Mount = (element: HTMLElement) => void

/** `shows`: whether a page with this answer takes the place. Default: one of status 200. */
type Asking = { headers?: Record<string, string>; shows?: (response: Response) => boolean }

/**
 * Asks the server for a page, and puts its element with this id in the place of the one that is shown, unless both read
 * the same. The focus stays where it was, if that is still there.
 * @returns false where the server did not answer with such a page
 */
export async function replaceFromServer(
  id: string,
  address: string,
  mount: Mount,
  { headers = {}, shows = ({ ok }) => ok }: Asking = {},
): Promise<boolean> {
  const response = await fetch(address, { headers }).catch(() => undefined)
  if (response === undefined || !shows(response)) return false
  // The session has ended: the page to sign in says what to do next.
  if (response.redirected) {
    location.assign(response.url)
    return false
  }
  const made = new DOMParser().parseFromString(await response.text(), 'text/html')
  const [fresh, shown] = [made.getElementById(id), document.getElementById(id)]
  if (fresh === null || shown === null) return false
  document.title = made.title
  if (wordsOf(fresh) === wordsOf(shown)) return true
  const focused = shown.contains(document.activeElement) ? document.activeElement : null
  const placed = document.importNode(fresh, true)
  shown.replaceWith(placed)
  mount(placed)
  if (focused !== null) (sameLink(placed, focused) ?? placed).focus({ preventScroll: true })
  return true
}

/** What an element says, whatever zone its times are shown in. */
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
