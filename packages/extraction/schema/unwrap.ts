type Json = Record<string, unknown>

/** Keys of an envelope other than the key of its content. */
const beside = new Set(['type', 'name', 'description', 'strict'])

/** Keys that hold an envelope's content. None of them is a keyword of JSON Schema. */
const contents = ['response_format', 'json_schema', 'schema']

/**
 * The schema in OpenAI's envelopes: `{name, strict, schema}`, or a whole `response_format`. Returns any other schema
 * unchanged.
 * @returns the schema, and the path to it
 */
export function unwrapped(given: Json): { schema: Json; path: readonly string[] } {
  const path: string[] = []
  let schema = given
  for (const content of contents) {
    const inside = schema[content]
    const isEnvelope = Object.keys(schema).every((key) => key === content || beside.has(key))
    if (!isEnvelope || typeof inside !== 'object' || inside === null || Array.isArray(inside)) continue
    schema = inside as Json
    path.push(content)
  }
  return { schema, path }
}
