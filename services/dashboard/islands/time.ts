/** Shows an instant in the browser's own time zone beside UTC, as a tooltip. */
export function time(element: HTMLElement): void {
  const at = element.getAttribute('datetime')
  if (at !== null) element.title = new Date(at).toLocaleString()
}
