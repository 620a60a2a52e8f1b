/** As the server writes an instant, and a day. */
const whole = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** Shows an instant in the reader's own time zone; its tooltip has it in UTC. */
export function time(element: HTMLElement): void {
  const at = element.getAttribute('datetime')
  if (at === null) return
  element.textContent = (element.dataset.shows === 'day' ? days : whole).format(new Date(at))
}

/** Says that the times of a table are in the reader's zone. */
export function zone(element: HTMLElement): void {
  element.textContent = 'Times are in your time zone.'
}
