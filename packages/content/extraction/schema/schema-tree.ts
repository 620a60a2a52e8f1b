import { type Form, formOfKeyword, refusalOf } from './keywords.ts'
import { SchemaError } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'

type Json = Record<string, unknown>

/** Keys that an envelope may have beside the key of its content. */
const beside = new Set(['type', 'name', 'description', 'strict'])

/** Keys that hold an envelope's content. None of them is a keyword of JSON Schema. */
const contents = ['response_format', 'json_schema', 'schema']

/**
 * The schema in OpenAI's envelopes: `{name, strict, schema}`, or a whole `response_format`. Returns any other schema
 * unchanged.
 * @returns the schema, and the path to it
 */
function unwrapped(given: Json): { schema: Json; path: readonly string[] } {
  const path: string[] = []
  let schema = given
  for (const content of contents) {
    const inside = schema[content]
    const isEnvelope = Object.keys(schema).every((key) => key === content || beside.has(key))
    if (!isEnvelope || typeof inside !== 'object' || inside === null || Array.isArray(inside)) continue
    schema = inside as Json
    path.push(content)
  }
  return { schema, path }
}

/** An unchecked schema of a caller: any JSON object. */
export type GivenSchema = Record<string, unknown>
export type Path = readonly string[]
/** RFC 6901: the part of a reference after its `#`. */
export type Pointer = string

/** A nested schema, or the root. */
export type Node = {
  /** The path from the root of the caller's value, including the envelope. */
  path: Path
  schema: GivenSchema | boolean
  /** In the order of the schema. */
  children: Child[]
  /** The base of the pointers in its references: the nearest schema with an `$id`, which may be itself, or the root. */
  base: Node
}
/** A schema in the value of a keyword, with the names and indices that lead there. */
export type Child = { keyword: string; steps: Path; node: Node }

export type Tree = { root: Node; nodes: ReadonlyMap<Pointer, Node>; pointers: ReadonlyMap<Node, Pointer> }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Escapes a name or an index for a JSON pointer. */
export const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * Reads a schema as a tree.
 * @throws SchemaError for a keyword that is not allowed, or a value that should be a schema and is not
 */
export function readTree(given: GivenSchema): Tree {
  const { schema, path } = unwrapped(given)
  const nodes = new Map<Pointer, Node>()
  const pointers = new Map<Node, Pointer>()

  const read = (value: unknown, at: Path, pointer: Pointer, above: { base?: Node; depth: number }): Node => {
    if (!isObject(value) && typeof value !== 'boolean')
      throw new SchemaError(at, 'must be a schema: an object, true or false')
    const depth = above.depth + 1
    if (depth > schemaLimits.depth) throw new SchemaError(at, `is deeper than ${schemaLimits.depth} schemas`)
    if (nodes.size >= schemaLimits.nodes)
      throw new SchemaError(at, `is one schema more than the ${schemaLimits.nodes} that are allowed`)
    const node = { path: at, schema: value, children: [] as Child[] } as unknown as Node
    node.base = above.base === undefined || (isObject(value) && value.$id !== undefined) ? node : above.base
    nodes.set(pointer, node)
    pointers.set(node, pointer)
    for (const [keyword, inside] of typeof value === 'boolean' ? [] : Object.entries(value))
      for (const [steps, one] of schemasIn(keyword, inside, [...at, keyword])) {
        const below = [pointer, ...steps.map(escaped)].join('/')
        node.children.push({ keyword, steps, node: read(one, [...at, ...steps], below, { base: node.base, depth }) })
      }
    return node
  }

  return { root: read(schema, path, '', { depth: 0 }), nodes, pointers }
}

/** The values of a keyword that must be schemas, each with the steps to it. */
function schemasIn(keyword: string, value: unknown, path: Path): [steps: Path, schema: unknown][] {
  const form = formOfKeyword(keyword)
  if (form === undefined) throw new SchemaError(path, refusalOf(keyword))
  if (form === 'schemas' || (form === 'items' && Array.isArray(value)))
    return listOf(value, path, form).map((one, index) => [[keyword, String(index)], one])
  if (form === 'schema' || form === 'items') return [[[keyword], value]]
  if (form !== 'schemas by name' && form !== 'schemas by pattern') return []
  if (!isObject(value)) throw new SchemaError(path, 'must be an object')
  if (Object.hasOwn(value, '__proto__')) throw new SchemaError(path, 'must not have the name __proto__')
  return Object.entries(value).map(([name, one]) => [[keyword, name], one])
}

/** TypeBox writes an empty tuple as an empty list of items. No other list of schemas may be empty. */
function listOf(value: unknown, path: Path, form: Form): unknown[] {
  if (!Array.isArray(value) || (value.length === 0 && form === 'schemas'))
    throw new SchemaError(path, 'must be a list that is not empty')
  return value
}
