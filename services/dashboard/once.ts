/** The field of a form with an id that is fresh each time the form is shown: sent twice, it asks for one thing. */
export const ONCE = 'once'

/** That id; undefined where the form has none of ours. */
export function onceIn(form: URLSearchParams): string | undefined {
  const once = form.get(ONCE) ?? ''
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(once) ? once : undefined
}
