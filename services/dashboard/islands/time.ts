/** The formats that the server uses for an instant and for a day. */
const whole = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

const formats: Readonly<Record<string, Intl.DateTimeFormat>> = { minute: whole, second: exact, day: days }

/** Shows an instant in the reader's time zone. The tooltip has it in UTC. */
export function time(element: HTMLElement): void {
  const at = element.getAttribute('datetime')
  if (at === null) return
  element.textContent = formats[element.dataset.shows ?? 'minute']?.format(new Date(at)) ?? at
}

/** Says that the times of a table are in the reader's zone. */
export function zone(element: HTMLElement): void {
  element.textContent = 'Times are in your time zone.'
}
