import { type Form, formOfKeyword, types } from './keywords.ts'
import { classCost, compilePattern, MAX_PATTERN_LENGTH, programSize } from './pattern.ts'
import { assertBounded, type Node, type Pointer } from './references.ts'
import { SchemaError } from './schema-error.ts'

/** An unchecked schema of a caller: any JSON object. */
export type GivenSchema = Record<string, unknown>

export const schemaLimits = {
  /** Bytes of its JSON. */
  bytes: 32 * 1024,
  /** Nested objects and lists of the JSON. */
  jsonDepth: 256,
  /** Nested schemas, references resolved, and levels of values. */
  depth: 32,
  /** Schemas in it, itself included. */
  nodes: 500,
  patterns: 50,
  /** Compiled instructions of all patterns together. */
  programSize: 5000,
  /** Estimated time to parse the character classes of all patterns, microseconds. */
  classCost: 100_000,
  /** Schemas in it when every reference is replaced by its target. */
  expandedNodes: 5000,
} as const

export type Path = readonly string[]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns a schema as JSON text, with its depth and size checked before anything else, without recursion.
 * @throws SchemaError of the schema as a whole
 */
export function schemaText(schema: GivenSchema): string {
  let level: unknown[] = [schema]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > schemaLimits.jsonDepth) throw new SchemaError([], `is deeper than ${schemaLimits.jsonDepth} levels`)
    level = level.flatMap((value) => Object.values(value as object)).filter((value) => Object(value) === value)
  }
  const text = JSON.stringify(schema)
  if (Buffer.byteLength(text) > schemaLimits.bytes)
    throw new SchemaError([], `must not exceed ${schemaLimits.bytes} bytes of JSON`)
  return text
}

/**
 * Refuses a schema that could do harm, or that no object can fit. Its time is bounded, but too long for a thread that
 * serves others: see SchemaChecks.
 * @param onPattern called with the path of each pattern before it is compiled
 * @throws SchemaError with the path of the problem
 */
export function assertSchema(schema: GivenSchema, onPattern: (path: Path) => void = () => {}): void {
  schemaText(schema)
  const walk = new Walk(onPattern)
  const root = walk.schema(schema, [], 1)
  assertBounded(root, walk.nodes, schemaLimits)
}

/** One walk through a schema. */
class Walk {
  /** Every schema by its JSON pointer. */
  readonly nodes = new Map<Pointer, Node>()
  readonly #onPattern: (path: Path) => void
  #patterns = 0
  #programSize = 0
  #classCost = 0

  constructor(onPattern: (path: Path) => void) {
    this.#onPattern = onPattern
  }

  schema(value: unknown, path: Path, depth: number): Node {
    if (!isObject(value) && typeof value !== 'boolean') throw new SchemaError(path, 'must be a schema')
    if (depth > schemaLimits.depth) throw new SchemaError(path, `is deeper than ${schemaLimits.depth} schemas`)
    if (this.nodes.size >= schemaLimits.nodes)
      throw new SchemaError(path, `is one schema more than the ${schemaLimits.nodes} that are allowed`)
    const node: Node = { path, schema: value, children: [] }
    this.nodes.set(pointerOf(path), node)
    if (typeof value === 'boolean') return node
    for (const [keyword, given] of Object.entries(value)) {
      const form = formOfKeyword(keyword)
      if (form === undefined) throw new SchemaError([...path, keyword], 'is not a keyword that is allowed')
      node.children.push(...this.#keyword(form, given, [...path, keyword], depth))
    }
    return node
  }

  /** @returns the schemas in the value of a keyword */
  #keyword(form: Form, value: unknown, path: Path, depth: number): Node[] {
    switch (form) {
      case 'schema':
        return [this.schema(value, path, depth + 1)]
      case 'schemas':
        return listOf(value, path).map((one, index) => this.schema(one, [...path, String(index)], depth + 1))
      case 'schemas by name':
        return this.#byName(value, path, depth)
      case 'schemas by pattern':
        for (const name of Object.keys(objectOf(value, path))) this.#pattern(name, [...path, name])
        return this.#byName(value, path, depth)
      case 'pattern':
        this.#pattern(textOf(value, path), path)
        return []
      default:
        assertForm(form, value, path)
        return []
    }
  }

  #byName(value: unknown, path: Path, depth: number): Node[] {
    return Object.entries(objectOf(value, path)).map(([name, one]) => {
      if (name === '__proto__') throw new SchemaError(path, 'must not have the name __proto__')
      return this.schema(one, [...path, name], depth + 1)
    })
  }

  #pattern(source: string, path: Path): void {
    if (++this.#patterns > schemaLimits.patterns)
      throw new SchemaError(path, `is one pattern more than the ${schemaLimits.patterns} that are allowed`)
    if (source.length > MAX_PATTERN_LENGTH)
      throw new SchemaError(path, `is longer than ${MAX_PATTERN_LENGTH} characters`)
    this.#programSize += programSize(source)
    if (this.#programSize > schemaLimits.programSize)
      throw new SchemaError(path, 'repeats too much, with the other patterns of this schema')
    this.#classCost += classCost(source)
    if (this.#classCost > schemaLimits.classCost)
      throw new SchemaError(path, 'has too large classes of characters, with the other patterns of this schema')
    this.#onPattern(path)
    try {
      compilePattern(source)
    } catch (error) {
      throw new SchemaError(path, (error as Error).message)
    }
  }
}

/** RFC 6901, as `$ref` writes it after its `#`. */
const pointerOf = (path: Path): Pointer =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isPositive = (value: unknown): boolean => Number.isFinite(value) && (value as number) > 0

/** Forms without nested values, with their names in messages. */
const simple: Partial<Record<Form, { fits(value: unknown): boolean; called: string }>> = {
  count: { fits: isCount, called: 'a whole number from 0 on' },
  number: { fits: Number.isFinite, called: 'a number' },
  'positive number': { fits: isPositive, called: 'a number above 0' },
  boolean: { fits: (value) => typeof value === 'boolean', called: 'true or false' },
}

function assertForm(form: Form, value: unknown, path: Path): void {
  const rule = simple[form]
  if (rule && !rule.fits(value)) throw new SchemaError(path, `must be ${rule.called}`)
  if (rule) return
  if (form === 'types') assertTypes(value, path)
  else if (form === 'names') assertNames(value, path)
  else if (form === 'value') assertShallow(value, path)
  else if (form === 'values') assertShallow(listOf(value, path), path)
  else if (form === 'names by name')
    for (const [name, names] of Object.entries(objectOf(value, path))) assertNames(names, [...path, name])
  else textOf(value, path)
}

function assertTypes(value: unknown, path: Path): void {
  const given = typeof value === 'string' ? [value] : listOf(value, path)
  if (given.some((type) => !types.includes(type as never)) || new Set(given).size < given.length)
    throw new SchemaError(path, `must be one of ${types.join(', ')}, or a list of some of them`)
}

function assertNames(value: unknown, path: Path): void {
  const names = Array.isArray(value) ? value : [undefined]
  if (names.some((name) => typeof name !== 'string' || name === '__proto__'))
    throw new SchemaError(path, 'must be a list of names')
}

/** Bounds the depth of a value, because values are compared recursively. */
function assertShallow(value: unknown, path: Path, depth = 1): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > schemaLimits.depth) throw new SchemaError(path, `is deeper than ${schemaLimits.depth} levels`)
  for (const one of Object.values(value)) assertShallow(one, path, depth + 1)
}

function listOf(value: unknown, path: Path): unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new SchemaError(path, 'must be a list that is not empty')
  return value
}

function objectOf(value: unknown, path: Path): Record<string, unknown> {
  if (!isObject(value)) throw new SchemaError(path, 'must be an object')
  return value
}

function textOf(value: unknown, path: Path): string {
  if (typeof value !== 'string') throw new SchemaError(path, 'must be a text')
  return value
}
