/** A form as a call of `/v1`. It runs in the browser too, where the code follows the fields. */

/** One field of a form. An empty field is not sent. */
export type FormField = {
  name: string
  /** Where its value goes. `choice`: nowhere, it only selects other fields. */
  where: 'query' | 'header' | 'body' | 'path' | 'choice'
  control: 'text' | 'url' | 'number' | 'select' | 'check' | 'checks' | 'long' | 'json'
  /** The field is sent only if another field has this value. */
  when?: { field: string; is: string }
  /** The code's value for a required field that is still empty. */
  sample?: string
}

export type FormOperation = { method: string; path: string; fields: readonly FormField[] }

/** A request to `/v1`, without its key. */
export type Call = {
  method: string
  path: string
  query: readonly (readonly [name: string, value: string])[]
  /** In addition to those of every call. */
  headers: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>> | undefined
}

/** A field with an invalid value. */
export type CallProblem = { path: string; message: string }

/** The form for its code: samples fill required fields that are empty. */
export function withSamples({ fields }: FormOperation, form: URLSearchParams): URLSearchParams {
  const missing = fields.filter(({ name, sample }) => sample !== undefined && (form.get(name) ?? '').trim() === '')
  const names = new Set(missing.map(({ name }) => name))
  const given = [...form].filter(([name]) => !names.has(name))
  return new URLSearchParams([...given, ...missing.map(({ name, sample = '' }) => [name, sample])])
}

type Value = { value: unknown } | { problem: CallProblem } | undefined

function givenIn({ name, control }: FormField, form: URLSearchParams): Value {
  if (control === 'checks') {
    const chosen = form.getAll(name)
    return chosen.length === 0 ? undefined : { value: chosen.join(',') }
  }
  // Browsers end the lines of a text with a carriage return.
  const text = (form.get(name) ?? '').replaceAll('\r\n', '\n')
  if (text.trim() === '') return undefined
  if (control === 'check') return { value: text === 'true' }
  if (control !== 'json') return { value: control === 'long' ? text : text.trim() }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { problem: { path: name, message: 'must be JSON' } }
  }
}

/** The call of a form, without the fields that have a problem. */
export function callOf(
  { method, path, fields }: FormOperation,
  form: URLSearchParams,
): { call: Call; problems: readonly CallProblem[] } {
  const query: [string, string][] = []
  const headers: Record<string, string> = {}
  const body: Record<string, unknown> = {}
  const problems: CallProblem[] = []
  let to = path
  for (const field of fields) {
    const { name, where, when } = field
    if (when !== undefined && form.get(when.field) !== when.is) continue
    const given = givenIn(field, form)
    if (given === undefined) continue
    if ('problem' in given) problems.push(given.problem)
    else if (where === 'query') query.push([name, String(given.value)])
    else if (where === 'header') headers[name] = String(given.value)
    else if (where === 'path') to = to.replace(`{${name}}`, encodeURIComponent(String(given.value)))
    else if (where === 'body') body[name] = given.value
  }
  return { call: { method, path: to, query, headers, body: method === 'POST' ? body : undefined }, problems }
}
