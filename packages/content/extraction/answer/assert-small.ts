import { StepError } from '#packages/foundation/errors/step-error.ts'

/** The most bytes of an answer. It is limited because every poll carries the result, and pages and tools read it. */
const MAX_BYTES = 512_000
/** Texts, numbers, lists and objects. */
const MAX_VALUES = 50_000
/** The most levels of nested lists and objects. */
const MAX_DEPTH = 32

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Bounds the JSON of an answer before parsing it: small values take fifty times their bytes when parsed. Repeated
 * fields of the same name count each time.
 * @throws StepError `result_too_large`
 */
export function assertSmall(json: string): void {
  if (Buffer.byteLength(json) > MAX_BYTES) throw tooLarge(`${MAX_BYTES / 1000} kB`)
  // Any other text is a single value, or not JSON.
  if (!/^\s*[[{]/.test(json)) return
  let [values, depth, isEmpty] = [1, 0, false]
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code <= 0x20) continue
    const wasEmpty = isEmpty
    isEmpty = code === LIST || code === OBJECT
    if (isEmpty && ++depth > MAX_DEPTH) throw tooLarge(`${MAX_DEPTH} levels`)
    if (code === LIST_END || code === OBJECT_END) depth--
    // The first value of a list or an object follows its beginning; each other value follows a comma.
    else if (wasEmpty || code === COMMA) values++
    if (values > MAX_VALUES) throw tooLarge(`${MAX_VALUES.toLocaleString('en-US')} values`)
    if (code === QUOTE) at = endOfText(json, at)
  }
}

/** The place of the quote that ends a text. */
function endOfText(json: string, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return json.length
}

const tooLarge = (most: string): StepError =>
  new StepError('result_too_large', { message: `The model's answer has more than ${most}; ask for less at once.` })
