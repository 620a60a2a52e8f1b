import { type Mount, replaceFromServer } from './replace.ts'

/** Sends a form without leaving its page. If it is refused, passwords stay in their fields, which no server sends back. */
export function inPlace(element: HTMLElement, mount: Mount): void {
  const form = element as HTMLFormElement
  form.addEventListener('submit', (event) => {
    // A button with an address of its own leads elsewhere.
    if (event.submitter?.hasAttribute('formaction')) return
    event.preventDefault()
    void send(form, mount)
  })
}

async function send(form: HTMLFormElement, mount: Mount): Promise<void> {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  const headers = { 'x-in-place': '1' }
  const sent = fetch(form.action, { method: 'POST', headers, body: new URLSearchParams(fields) })
  const to = (await sent.catch(() => undefined))?.headers.get('location')
  // As without a script.
  if (!to) return form.submit()
  if (new URL(to, location.href).pathname !== location.pathname) return location.assign(to)
  const passwords = [...form.querySelectorAll<HTMLInputElement>('input[autocomplete=new-password]')]
  await replaceFromServer('main', to, mount, headers)
  for (const { name, value } of passwords) {
    const field = document.querySelector<HTMLInputElement>(`input[name="${CSS.escape(name)}"]`)
    if (field !== null) field.value = value
  }
  document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
}
