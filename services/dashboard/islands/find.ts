import { type Mount, replaceFromServer } from './replace.ts'

const TYPING_MS = 200

/** A search form that updates its answer while the visitor types, in the element that `data-shows` names. */
export function find(element: HTMLElement, mount: Mount): void {
  const form = element as HTMLFormElement
  let pause: ReturnType<typeof setTimeout> | undefined
  const look = async (): Promise<void> => {
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    const address = `${location.pathname}?${new URLSearchParams(fields)}`
    history.replaceState(null, '', address)
    await replaceFromServer(form.dataset.shows ?? '', address, mount)
  }
  form.addEventListener('input', () => {
    clearTimeout(pause)
    pause = setTimeout(look, TYPING_MS)
  })
}
