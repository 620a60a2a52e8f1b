/** A state as JSON text on one line: a Map becomes an object, a Set a list. */
export const asJson = (state: unknown): string => JSON.stringify(state, plain) ?? 'null'

/** For `JSON.stringify`. Keys of a Map that are not texts are written as JSON. */
function plain(_: string, value: unknown): unknown {
  if (value instanceof Set) return [...value]
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([key, of]) => [typeof key === 'string' ? key : asJson(key), of]))
}
