import { VideoIntelligenceError } from '#packages/client/error.ts'
import { tokensOf } from './tokens.ts'

/**
 * A path into a result is a JSON Pointer (RFC 6901), such as `/people/0/name`. Its last part may be `N-`: what is from
 * the Nth member of an array, the Nth field of an object or the Nth character of a text on. A field that has such a name
 * is written `N~2`.
 */
type Members = {
  count: number
  nameOf(index: number): string
  valueOf(index: number): unknown
  slice(from: number, to: number): unknown
}

const range = /^(\d{1,9})-$/

const escaped = (name: string): string =>
  range.test(name) ? name.replace('-', '~2') : name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescaped = (name: string): string => name.replaceAll('~2', '-').replaceAll('~1', '/').replaceAll('~0', '~')

function membersOf(value: unknown): Members | undefined {
  if (typeof value === 'string') {
    const characters = [...value]
    const slice = (from: number, to: number): string => characters.slice(from, to).join('')
    return { count: characters.length, nameOf: String, valueOf: (index) => characters[index], slice }
  }
  if (Array.isArray(value)) {
    const slice = (from: number, to: number): unknown[] => value.slice(from, to)
    return { count: value.length, nameOf: String, valueOf: (index) => value[index], slice }
  }
  if (typeof value !== 'object' || value === null) return undefined
  const entries = Object.entries(value)
  const slice = (from: number, to: number): object => Object.fromEntries(entries.slice(from, to))
  const nameOf = (index: number): string => escaped(entries[index]?.[0] ?? '')
  return { count: entries.length, nameOf, valueOf: (index) => entries[index]?.[1], slice }
}

/** What a path names. @throws VideoIntelligenceError invalid_request: there is no such thing */
function find(result: unknown, path: string): { value: unknown; base: string; from: number } {
  let value = result
  const names = path === '' ? [] : path.split('/').slice(1)
  if (path !== '' && !path.startsWith('/')) throw badPath('begins with a slash')
  const from = range.exec(names.at(-1) ?? '')?.[1]
  for (const name of from === undefined ? names : names.slice(0, -1)) value = memberOf(value, unescaped(name), path)
  const base = from === undefined ? path : path.slice(0, path.lastIndexOf('/'))
  return { value, base, from: Number(from ?? 0) }
}

const badPath = (message: string): VideoIntelligenceError =>
  new VideoIntelligenceError('invalid_request', `The path into the result ${message}.`, { status: 0 })

const hasField = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)

function memberOf(value: unknown, name: string, path: string): unknown {
  if (!hasField(value, name)) throw badPath(`leads to nothing: ${path}`)
  return (value as Record<string, unknown>)[name]
}

export type ResultPage = {
  value: unknown
  /** Where the rest is, in the order of the result; empty where nothing is missing. */
  next: string[]
}

/** What a path names, as much of it as fits into `maxTokens`. @throws VideoIntelligenceError invalid_request: there is nothing at this path */
export function resultPage(result: unknown, path: string, maxTokens: number): ResultPage {
  const { value, base, from } = find(result, path)
  return pageOf(value, base, from, maxTokens)
}

function pageOf(value: unknown, base: string, from: number, maxTokens: number): ResultPage {
  const members = membersOf(value)
  const rest = from === 0 || members === undefined ? value : members.slice(from, members.count)
  if (members === undefined || fits(rest, maxTokens)) return { value: rest, next: [] }
  // The most that fit, found by halving.
  let [fitting, tooMany] = [from, members.count]
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2)
    if (fits(members.slice(from, middle), maxTokens)) fitting = middle
    else tooMany = middle
  }
  const restAt = (index: number): string[] => (index < members.count ? [`${base}/${index}-`] : [])
  if (fitting > from) return { value: members.slice(from, fitting), next: restAt(fitting) }
  // Not even the first of them fits: as much of that as does, in its place.
  const inner = pageOf(members.valueOf(from), `${base}/${members.nameOf(from)}`, 0, maxTokens)
  const name = members.nameOf(from)
  const partial = Array.isArray(value) ? [inner.value] : { [unescaped(name)]: inner.value }
  return { value: partial, next: [...inner.next, ...restAt(from + 1)] }
}

const fits = (value: unknown, maxTokens: number): boolean => tokensOf(JSON.stringify(value)) <= maxTokens
