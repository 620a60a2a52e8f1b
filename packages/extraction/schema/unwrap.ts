type Json = Record<string, unknown>

/** Keys of an envelope beside the one that holds what is in it. */
const beside = new Set(['type', 'name', 'description', 'strict'])

/** What is in an envelope: `response_format`, `json_schema` and `schema` are no keywords of JSON Schema. */
const contents = ['response_format', 'json_schema', 'schema']

/**
 * The schema in what OpenAI's helpers write around it: `{name, strict, schema}`, or a whole `response_format`. Any other
 * schema is returned as it is.
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
