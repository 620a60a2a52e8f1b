/** The form field with an id that is new each time the form is shown, so that sending it twice takes effect once. */
export const ONCE = 'once'

/** That id; undefined if the form has no valid one. */
export function onceIn(form: URLSearchParams): string | undefined {
  const once = form.get(ONCE) ?? ''
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(once) ? once : undefined
}
