import { type Mount, replaceFrom, replaceFromServer } from './replace.ts'

const headers = { 'x-in-place': '1' }

/**
 * Sends a form without leaving the page, so that Back and reload send nothing again. After a refusal, passwords stay in
 * their fields: no server returns them.
 */
export function inPlace(element: HTMLElement, mount: Mount): void {
  const form = element as HTMLFormElement
  let isUnderWay = false
  form.addEventListener('submit', (event) => {
    // This button sends the form to an address of its own.
    if (event.submitter?.hasAttribute('formaction')) return
    event.preventDefault()
    if (isUnderWay) return
    isUnderWay = true
    void send(form, event.submitter, mount).then((isPlaced) => {
      isUnderWay = !isPlaced
    })
  })
}

/** @returns false if another page is loading */
async function send(form: HTMLFormElement, submitter: HTMLElement | null, mount: Mount): Promise<boolean> {
  const fields = [...new FormData(form, submitter)].map(([name, value]) => [name, String(value)])
  const passwords = [...form.querySelectorAll<HTMLInputElement>('input[autocomplete=new-password]')]
  const sent = fetch(form.action, { method: 'POST', headers, body: new URLSearchParams(fields) })
  if (!(await show(await sent.catch(() => undefined), form, mount))) return false
  for (const { name, value } of passwords) {
    const field = document.querySelector<HTMLInputElement>(`input[name="${CSS.escape(name)}"]`)
    if (field !== null) field.value = value
  }
  document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  return true
}

/** A refused form is a page with a status of 4xx. */
const isShown = ({ status }: Response): boolean => status < 500

/** Shows the answer to a form. @returns false if another page is loading */
async function show(answer: Response | undefined, form: HTMLFormElement, mount: Mount): Promise<boolean> {
  const to = answer?.headers.get('location')
  if (to && new URL(to, location.href).pathname !== location.pathname) {
    location.assign(to)
    return false
  }
  if (to) {
    await replaceFromServer('main', to, mount, { headers, shows: isShown })
    return true
  }
  if (answer !== undefined && isShown(answer) && (await replaceFrom(answer, 'main', mount))) {
    scrollTo({ top: 0 })
    return true
  }
  // Sends the form as a browser without scripts does.
  form.submit()
  return false
}
