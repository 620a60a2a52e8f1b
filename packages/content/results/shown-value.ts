import { htmlBytes } from './html-weight.ts'

/** The most to show of one result, bytes. The file has all of it. */
const SHOWN_BYTES = 30_000
/** Nested groups that are shown. */
const MAX_DEPTH = 12
/** Approximate size of an entry in addition to its text, bytes. */
const ENTRY_BYTES = 160

/** The part of a JSON value that a page shows. `type`: its type in words. */
export type ShownValue = { type: string } & (
  | { text: string }
  /** `isCut`: more entries follow. */
  | { entries: { name: string; value: ShownValue }[]; isCut: boolean }
  /** Too much to show here. */
  | { isLeftOut: true }
)

/** The beginning of a JSON value, so that a page stays small. */
export function shownValue(value: unknown): ShownValue {
  let left = SHOWN_BYTES
  const fits = (text: string): boolean => {
    left -= htmlBytes(text) + ENTRY_BYTES
    return left >= 0
  }
  const leafOf = (leaf: unknown): ShownValue => {
    const [type, text] = [typeWords(leaf), leaf === null ? '–' : String(leaf)]
    return fits(text) ? { type, text } : { type, isLeftOut: true }
  }
  const groupOf = (group: object, depth: number): ShownValue => {
    const isList = Array.isArray(group)
    const names = isList ? group.keys() : Object.keys(group)
    const count = isList ? group.length : (names as string[]).length
    const type = isList ? counted(count, 'item', 'items') : counted(count, 'field', 'fields')
    if (depth >= MAX_DEPTH && count > 0) return { type, isLeftOut: true }
    const entries: { name: string; value: ShownValue }[] = []
    for (const key of names) {
      if (!fits(String(key))) break
      const name = isList ? String(Number(key) + 1) : String(key)
      entries.push({ name, value: shown((group as Record<string, unknown>)[key], depth + 1) })
    }
    return { type, entries, isCut: entries.length < count }
  }
  const shown = (each: unknown, depth: number): ShownValue =>
    typeof each === 'object' && each !== null ? groupOf(each, depth) : leafOf(each)
  return shown(value, 0)
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

function typeWords(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' ? 'number' : 'text'
}
