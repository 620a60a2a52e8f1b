import { type Mount, replaceFromServer } from './replace.ts'

const headers = { 'x-in-place': '1' }

/** Sends a form without leaving the page. After a refusal, passwords stay in their fields: no server returns them. */
export function inPlace(element: HTMLElement, mount: Mount): void {
  const form = element as HTMLFormElement
  let isUnderWay = false
  form.addEventListener('submit', (event) => {
    // This button sends the form to an address of its own.
    if (event.submitter?.hasAttribute('formaction')) return
    event.preventDefault()
    if (isUnderWay) return
    isUnderWay = true
    void send(form, mount).then((isRefused) => {
      isUnderWay = !isRefused
    })
  })
}

/** @returns false if another page is loading */
async function send(form: HTMLFormElement, mount: Mount): Promise<boolean> {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  const sent = fetch(form.action, { method: 'POST', headers, body: new URLSearchParams(fields) })
  const to = (await sent.catch(() => undefined))?.headers.get('location')
  if (!to || new URL(to, location.href).pathname !== location.pathname) {
    if (to) location.assign(to)
    // Sends the form as a browser without scripts does.
    else form.submit()
    return false
  }
  const passwords = [...form.querySelectorAll<HTMLInputElement>('input[autocomplete=new-password]')]
  // The answer to a refused form is a page with a 4xx status.
  await replaceFromServer('main', to, mount, { headers, shows: ({ status }) => status < 500 })
  for (const { name, value } of passwords) {
    const field = document.querySelector<HTMLInputElement>(`input[name="${CSS.escape(name)}"]`)
    if (field !== null) field.value = value
  }
  document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  return true
}
