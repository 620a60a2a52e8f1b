/**
 * The kinds of fields. `strings`: a list of strings. `count`: a whole number of at least 0, or its digits in a
 * string. `text`: a string, or a number, which becomes a string.
 */
type Kinds = {
  string: string
  strings: string[]
  boolean: boolean
  count: number
  text: string
  object: Shape
  list: Shape[]
}
type Kind = keyof Kinds

/** A field of an answer that is missing or has changed its type. */
export type Drift = {
  /** The path of the field, or of the missing part around it: `edges[].node.id`. */
  field: string
  expected: Kind
  /** `nothing`, `null`, `list`, or what `typeof` says. */
  found: string
}

/** Required fields are missing from the answer. */
export class ShapeError extends Error {
  readonly drift: Drift

  constructor(drift: Drift) {
    super(`${drift.field} should be of kind ${drift.expected}, found ${drift.found}`)
    this.name = 'ShapeError'
    this.drift = drift
  }
}

/** How often a field was read, how often it had drifted, and how it first drifted. */
type Tally = { reads: number; misses: number; drift: Drift | undefined }

/**
 * Reads the fields of an answer that follows no published schema, and records which fields have drifted. A field of
 * list items has drifted only when no item has it.
 */
export class Shape {
  readonly #value: unknown
  readonly #field: string
  readonly #tallies: Map<string, Tally>

  private constructor(value: unknown, field: string, tallies: Map<string, Tally>) {
    this.#value = value
    this.#field = field
    this.#tallies = tallies
  }

  /** @param name prefix of the paths of the answer's fields */
  static of(name: string, value: unknown): Shape {
    return new Shape(value, name, new Map())
  }

  /** A required field. @throws ShapeError when it is missing, null or of another kind */
  required<K extends Kind>(kind: K, ...keys: string[]): Kinds[K] {
    const { value, miss } = this.#read(kind, keys)
    if (value === undefined) throw new ShapeError(miss ?? { field: this.#pathOf(keys), expected: kind, found: 'null' })
    return value
  }

  /**
   * A field that every answer has. Returns null for null. Also returns null for a missing field or another kind, and
   * records drift.
   */
  expected<K extends Kind>(kind: K, ...keys: string[]): Kinds[K] | null {
    return this.#read(kind, keys).value ?? null
  }

  /**
   * A field that only some answers have. Returns null for null or a missing field. Also returns null for another
   * kind, and records drift.
   */
  optional<K extends Kind>(kind: K, ...keys: string[]): Kinds[K] | null {
    return this.has(...keys) ? this.expected(kind, ...keys) : null
  }

  has(...keys: string[]): boolean {
    let value = this.#value
    for (const key of keys) {
      if (!isObject(value) || !(key in value)) return false
      value = value[key]
    }
    return true
  }

  /** The fields of the whole answer that have drifted so far. */
  drift(): Drift[] {
    const drifts = [...this.#tallies.values()].filter(({ reads, misses }) => reads === misses)
    const byField = new Map(drifts.flatMap(({ drift }) => (drift ? [[drift.field, drift] as const] : [])))
    return [...byField.values()]
  }

  #read<K extends Kind>(kind: K, keys: string[]): { value: Kinds[K] | undefined; miss: Drift | undefined } {
    const path = this.#pathOf(keys)
    const tally = this.#tallies.get(path) ?? { reads: 0, misses: 0, drift: undefined }
    this.#tallies.set(path, tally)
    tally.reads++
    const { value, known, deepest } = this.#follow(keys)
    if (known && value === null) return { value: undefined, miss: undefined }
    const read = known ? (this.#as(kind, value, path) as Kinds[K] | undefined) : undefined
    if (read !== undefined) return { value: read, miss: undefined }
    const miss: Drift = known
      ? { field: path, expected: kind, found: nameOf(value) }
      : { field: deepest, expected: deepest === path ? kind : 'object', found: nameOf(value) }
    tally.misses++
    tally.drift ??= miss
    return { value: undefined, miss }
  }

  /** The value at the end of the path. `known` is false when the part at `deepest` is missing. */
  #follow(keys: string[]): { value: unknown; known: boolean; deepest: string } {
    let value = this.#value
    let deepest = this.#field
    for (const [i, key] of keys.entries()) {
      if (value === null && i > 0) return { value, known: true, deepest }
      if (!isObject(value)) return { value, known: false, deepest }
      deepest = `${deepest}.${key}`
      if (!(key in value) || value[key] === undefined) return { value: undefined, known: false, deepest }
      value = value[key]
    }
    return { value, known: true, deepest }
  }

  #as(kind: Kind, value: unknown, path: string): Kinds[Kind] | undefined {
    if (kind === 'list') return Array.isArray(value) ? value.map((item) => this.#part(item, `${path}[]`)) : undefined
    if (kind === 'strings') return isStrings(value) ? value : undefined
    if (kind === 'object') return isObject(value) && !Array.isArray(value) ? this.#part(value, path) : undefined
    if (kind === 'count') return toCount(value)
    if (kind === 'text') return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
    return typeof value === kind ? (value as string | boolean) : undefined
  }

  #part = (value: unknown, field: string): Shape => new Shape(value, field, this.#tallies)

  #pathOf = (keys: string[]): string => [this.#field, ...keys].join('.')
}

/**
 * Reads every item of a list, and leaves out items without their required fields.
 * @throws ShapeError of the first item if every item lacks required fields
 */
export function readAll<T>(items: readonly Shape[], parse: (item: Shape) => T | undefined): T[] {
  const errors: ShapeError[] = []
  const read = items.flatMap((item) => {
    try {
      const parsed = parse(item)
      return parsed === undefined ? [] : [parsed]
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      errors.push(error)
      return []
    }
  })
  if (errors[0] && errors.length === items.length) throw errors[0]
  return read
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
