import { asJson } from './as-json.ts'

/** A value inside two states that differs between them; undefined if a state has none. */
export type Change = { path: string; one: unknown; other: unknown }

/** The differences between two values, down to single fields, compared as JSON. */
export function changesOf(one: unknown, other: unknown): Change[] {
  const [json, otherJson] = [asJson(one), asJson(other)]
  return json === otherJson ? [] : changesAt('', JSON.parse(json), JSON.parse(otherJson))
}

function changesAt(path: string, one: unknown, other: unknown): Change[] {
  if (isFolder(one) && isFolder(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...names].flatMap((name) => changesAt(path === '' ? name : `${path}.${name}`, one[name], other[name]))
  }
  return asJson(one) === asJson(other) ? [] : [{ path, one, other }]
}

const isFolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
