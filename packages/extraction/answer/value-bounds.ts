/** The most nested levels of an answer: results are validated, written and read recursively. */
const MAX_DEPTH = 64
/** The most values in an answer: texts, numbers, lists and objects. */
const MAX_VALUES = 100_000

/** Why a value is too deep or too large to be validated, in words after its name; undefined where it is neither. */
export function boundsProblem(value: unknown): string | undefined {
  let level: unknown[] = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length
    if (count > MAX_VALUES) return `has more than ${MAX_VALUES} values`
    level = level.filter((one) => typeof one === 'object' && one !== null)
    if (depth === MAX_DEPTH && level.length > 0) return `is deeper than ${MAX_DEPTH} levels`
    level = level.flatMap((one) => Object.values(one as object))
  }
  return undefined
}
