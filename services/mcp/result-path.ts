import { VideoIntelligenceError } from '#packages/client/error.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import { tokensOf } from './tokens.ts'
import { shownJson } from './video-text.ts'

/**
 * A path into a result is a JSON Pointer (RFC 6901), such as `/people/0/name`.
 *
 * Its last part may be `N-`: everything from member N of an array, field N of an object or character N of a text. A
 * field with a name of that form is written `N~2`. A field with a name longer than a word is written `N~3` in our
 * pointers: field number N. Its name may quote the video, and our own text must not repeat that.
 */
type Members = {
  count: number
  /** The name of a member in our own pointers. */
  nameOf(index: number): string
  /** The index of the member that a part of a path names; -1: none. */
  indexOf(name: string): number
  /** The value with only one of its members, replaced by a part of it. */
  with(index: number, part: unknown): unknown
  valueOf(index: number): unknown
  slice(from: number, to: number): unknown
}

const range = /^(\d{1,9})-$/
const place = /^(\d{1,9})~3$/
/** Names of fields that our own pointers repeat. */
const word = /^\w{1,32}$/

const unescaped = (name: string): string => name.replaceAll('~2', '-').replaceAll('~1', '/').replaceAll('~0', '~')

const indexIn = (count: number, name: string): number => (/^\d{1,9}$/.test(name) && +name < count ? +name : -1)

function membersOf(value: unknown): Members | undefined {
  if (typeof value === 'string') {
    const characters = [...value]
    const slice = (from: number, to: number): string => characters.slice(from, to).join('')
    return {
      count: characters.length,
      nameOf: String,
      indexOf: () => -1,
      with: (_, part) => part,
      valueOf: (index) => characters[index],
      slice,
    }
  }
  if (Array.isArray(value)) {
    const slice = (from: number, to: number): unknown[] => value.slice(from, to)
    const indexOf = (name: string): number => indexIn(value.length, name)
    return {
      count: value.length,
      nameOf: String,
      indexOf,
      with: (_, part) => [part],
      valueOf: (index) => value[index],
      slice,
    }
  }
  return typeof value === 'object' && value !== null ? fieldsOf(Object.entries(value)) : undefined
}

function fieldsOf(entries: readonly [string, unknown][]): Members {
  const keyOf = (index: number): string => entries[index]?.[0] ?? ''
  return {
    count: entries.length,
    nameOf: (index) => (word.test(keyOf(index)) ? keyOf(index) : `${index}~3`),
    indexOf(name) {
      const at = place.exec(name)?.[1]
      return at === undefined ? entries.findIndex(([key]) => key === unescaped(name)) : indexIn(entries.length, at)
    },
    with: (index, part) => Object.fromEntries([[keyOf(index), part]]),
    valueOf: (index) => entries[index]?.[1],
    slice: (from, to) => Object.fromEntries(entries.slice(from, to)),
  }
}

/** The value at a path, and the path as we write it. @throws VideoIntelligenceError invalid_request: there is none */
function find(result: unknown, path: string): { value: unknown; base: string; from: number } {
  let value = result
  let base = ''
  const names = path === '' ? [] : path.split('/').slice(1)
  if (path !== '' && !path.startsWith('/')) throw badPath('begins with a slash')
  const from = range.exec(names.at(-1) ?? '')?.[1]
  for (const name of from === undefined ? names : names.slice(0, -1)) {
    const members = typeof value === 'string' ? undefined : membersOf(value)
    const index = members?.indexOf(name) ?? -1
    if (members === undefined || index === -1) throw badPath(`leads to nothing: ${printable(path)}`)
    value = members.valueOf(index)
    base += `/${members.nameOf(index)}`
  }
  return { value, base, from: Number(from ?? 0) }
}

const badPath = (message: string): VideoIntelligenceError =>
  new VideoIntelligenceError('invalid_request', `The path into the result ${message}.`, { status: 0 })

export type ResultPage = {
  value: unknown
  /** The paths of the missing parts, in the order of the result. */
  next: string[]
}

/**
 * The value at a path, cut to what fits into `maxTokens`.
 * @throws VideoIntelligenceError invalid_request: there is nothing at this path
 */
export function resultPage(result: unknown, path: string, maxTokens: number): ResultPage {
  const { value, base, from } = find(result, path)
  return pageOf(value, base, from, maxTokens)
}

function pageOf(value: unknown, base: string, from: number, maxTokens: number): ResultPage {
  const members = membersOf(value)
  const rest = from === 0 || members === undefined ? value : members.slice(from, members.count)
  const isOne = typeof value === 'string' && members?.count === 1
  if (members === undefined || isOne || fits(rest, maxTokens)) return { value: rest, next: [] }
  // A binary search for the largest number that fits.
  let [fitting, tooMany] = [from, members.count]
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2)
    if (fits(members.slice(from, middle), maxTokens)) fitting = middle
    else tooMany = middle
  }
  const restAt = (index: number): string[] => (index < members.count ? [`${base}/${index}-`] : [])
  if (fitting > from) return { value: members.slice(from, fitting), next: restAt(fitting) }
  // Not even the first member fits, so a part of it is shown in its place.
  const inner = pageOf(members.valueOf(from), `${base}/${members.nameOf(from)}`, 0, maxTokens)
  return { value: members.with(from, inner.value), next: [...inner.next, ...restAt(from + 1)] }
}

const fits = (value: unknown, maxTokens: number): boolean => tokensOf(shownJson(value)) <= maxTokens
