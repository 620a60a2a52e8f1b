import { type Mount, replaceFromServer } from './replace.ts'

const EVERY_MS = 4000

/** Shows the newest state of a part of the page while somebody looks at it. The server leaves this out once it is final. */
export function live(element: HTMLElement, mount: Mount): void {
  const look = async (): Promise<void> => {
    if (!document.hidden) await replaceFromServer(element.id, location.href, mount)
    // What has taken its place looks on by itself.
    if (element.isConnected) setTimeout(look, EVERY_MS)
  }
  setTimeout(look, EVERY_MS)
}
