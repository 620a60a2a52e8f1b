import { callOf, type FormOperation, withSamples } from '../pages/try/call.ts'
import { type Language, snippetOf } from '../pages/try/snippets.ts'

/** Keeps the code beside a form in step with its fields, and shows that an answer is on its way. */
export function snippets(section: HTMLElement): void {
  const form = document.querySelector<HTMLFormElement>('#try-form')
  if (form === null) return
  const { operation, baseUrl } = JSON.parse(section.dataset.props ?? '{}') as {
    operation: FormOperation
    baseUrl: string
  }
  const show = () => {
    const typed = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    const { call } = callOf(operation, withSamples(operation, new URLSearchParams(typed)))
    for (const part of section.querySelectorAll<HTMLElement>('[data-language]')) {
      const code = part.querySelector('code')
      if (code !== null) code.textContent = snippetOf(part.dataset.language as Language, baseUrl, call)
    }
  }
  form.addEventListener('input', show)
  // The browser may have restored the fields after a reload.
  show()

  const button = form.querySelector<HTMLButtonElement>('button[type=submit]')
  const act = button?.textContent ?? ''
  const say = (text: string) => {
    if (button !== null) button.textContent = text
  }
  form.addEventListener('submit', () => say('Sending…'))
  window.addEventListener('pageshow', () => say(act))
}
