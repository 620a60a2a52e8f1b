import { equalForms } from './equal-forms.ts'
import { boundBeside, type Form, formOfKeyword, typeOf, types } from './keywords.ts'
import { classCost, compilePattern, MAX_PATTERN_LENGTH, programSize } from './pattern.ts'
import { assertBounded } from './references.ts'
import { SchemaError } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'
import { type GivenSchema, isObject, type Path, readTree } from './schema-tree.ts'

/** A schema as JSON text. Checks depth and size first, without recursion. @throws SchemaError of the whole schema */
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
  const tree = readTree(schema)
  const patterns = new Patterns(onPattern)
  for (const node of tree.nodes.values())
    if (isObject(node.schema)) assertKeywords(node.schema, node.path, { patterns, root: tree.root.schema })
  assertBounded(tree)
}

type Context = { patterns: Patterns; root: GivenSchema | boolean }

function assertKeywords(schema: GivenSchema, path: Path, { patterns, root }: Context): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const form = formOfKeyword(keyword) ?? 'value'
    const at = [...path, keyword]
    if (form === 'items' && Array.isArray(value)) assertTuple(schema, root, at)
    else if (form === 'pattern') patterns.add(textOf(value, at), at)
    else if (form === 'schemas by pattern')
      for (const name of Object.keys(value as object)) patterns.add(name, [...at, name], { isName: true })
    else if (form === 'exclusive bound' && typeof value === 'boolean') assertBound(schema, keyword, at)
    else assertForm(form, value, at)
  }
}

/** The patterns of one schema, which share limits. */
class Patterns {
  readonly #onPattern: (path: Path) => void
  #count = 0
  #programSize = 0
  #classCost = 0

  constructor(onPattern: (path: Path) => void) {
    this.#onPattern = onPattern
  }

  /** @param isName for a key of `patternProperties`, which can hold only one pattern */
  add(source: string, path: Path, { isName = false } = {}): void {
    if (++this.#count > schemaLimits.patterns)
      throw new SchemaError(path, `is one pattern more than the ${schemaLimits.patterns} that are allowed`)
    if (source.length > MAX_PATTERN_LENGTH)
      throw new SchemaError(path, `is longer than ${MAX_PATTERN_LENGTH} characters`)
    const { all, none } = equalForms(source)
    const isOne = all.length === 1 && none.length === 0
    for (const one of isName && !isOne ? [source] : [...all, ...none]) this.#compile(one, path)
  }

  #compile(source: string, path: Path): void {
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

/** The drafts that use a list of items for a tuple. */
const olderDrafts = /draft-0[3-7]|2019-09/

/**
 * Without `$schema`, a list of items is a tuple if it says how it ends, as TypeBox and zod-to-json-schema write it.
 * Otherwise its author may have meant anything.
 */
function assertTuple(
  { items, prefixItems, additionalItems, maxItems }: GivenSchema,
  root: Context['root'],
  path: Path,
) {
  const dialect = isObject(root) ? root.$schema : undefined
  const ends = additionalItems !== undefined || maxItems === (items as unknown[]).length
  const isTuple = dialect === undefined ? ends : olderDrafts.test(String(dialect))
  if (!isTuple || prefixItems !== undefined)
    throw new SchemaError(path, 'must be a schema: write the list as prefixItems')
}

/** A bound of draft 4 and OpenAPI 3.0: true makes the neighbouring one exclusive. */
function assertBound(schema: GivenSchema, keyword: string, path: Path): void {
  if (typeof schema[boundBeside(keyword)] !== 'number') throw new SchemaError(path, 'must be a number')
}

/** Gemini writes counts as texts. */
const isCount = (value: unknown): boolean =>
  (Number.isSafeInteger(value) && (value as number) >= 0) || (typeof value === 'string' && /^\d{1,15}$/.test(value))
const isPositive = (value: unknown): boolean => Number.isFinite(value) && (value as number) > 0

/** Forms without nested values, with their names in messages. */
const simple: Partial<Record<Form, { fits(value: unknown): boolean; called: string }>> = {
  count: { fits: isCount, called: 'a whole number from 0 on' },
  number: { fits: Number.isFinite, called: 'a number' },
  'exclusive bound': { fits: Number.isFinite, called: 'a number' },
  'positive number': { fits: isPositive, called: 'a number above 0' },
  boolean: { fits: (value) => typeof value === 'boolean', called: 'true or false' },
}
/** Forms that are checked while reading the tree. */
const schemas: ReadonlySet<Form> = new Set(['schema', 'schemas', 'items', 'schemas by name'])

function assertForm(form: Form, value: unknown, path: Path): void {
  const rule = simple[form]
  if (rule && !rule.fits(value)) throw new SchemaError(path, `must be ${rule.called}`)
  if (rule || schemas.has(form)) return
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
  const known = given.every((type) => typeof type === 'string' && types.includes(typeOf(type) as never))
  if (!known || new Set(given).size < given.length)
    throw new SchemaError(path, `must be one of ${types.join(', ')}, or a list of some of them; leave it out for any`)
}

function assertNames(value: unknown, path: Path): void {
  const names = Array.isArray(value) ? value : [undefined]
  if (names.some((name) => typeof name !== 'string' || name === '__proto__'))
    throw new SchemaError(path, 'must be a list of names, in the object that has the properties')
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
