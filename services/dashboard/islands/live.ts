import { type Mount, replaceFromServer } from './replace.ts'

const EVERY_MS = 4000

/** Keeps a part of a page up to date while its tab is visible. The server omits this island once the state is final. */
export function live(element: HTMLElement, mount: Mount): void {
  const look = async (): Promise<void> => {
    if (!document.hidden) await replaceFromServer(element.id, location.href, mount)
    // The element that replaced this one is an island of its own.
    if (element.isConnected) setTimeout(look, EVERY_MS)
  }
  setTimeout(look, EVERY_MS)
}
