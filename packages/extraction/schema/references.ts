import { SchemaError } from './schema-error.ts'

/** The part of a reference after its `#`. */
export type Pointer = string

/** A nested schema, or the root. */
export type Node = { path: readonly string[]; schema: Record<string, unknown> | boolean; children: Node[] }

/** The size of a schema with every reference replaced by its target. */
type Expanded = { nodes: number; depth: number }

type Nodes = ReadonlyMap<Pointer, Node>

/**
 * Follows the references, which must stay inside the schema and must not be circular, and bounds the expanded size: a
 * few references can expand to more work than there is time for.
 * @throws SchemaError
 */
export function assertBounded(
  root: Node,
  nodes: Nodes,
  { depth, expandedNodes }: { depth: number; expandedNodes: number },
): void {
  const done = new Map<Node, Expanded>()
  const underWay = new Set<Node>()

  const expand = (node: Node): Expanded => {
    const known = done.get(node)
    if (known) return known
    if (underWay.has(node)) throw new SchemaError(node.path, 'refers to itself')
    underWay.add(node)
    const target = targetOf(node, nodes)
    const inside = [...node.children, ...(target ? [target] : [])].map(expand)
    const expanded = {
      nodes: inside.reduce((sum, one) => sum + one.nodes, 1),
      depth: inside.reduce((most, one) => Math.max(most, one.depth), 0) + 1,
    }
    if (expanded.nodes > expandedNodes)
      throw new SchemaError(node.path, `is more than ${expandedNodes} schemas with what it refers to`)
    if (expanded.depth > depth)
      throw new SchemaError(node.path, `is deeper than ${depth} schemas with what it refers to`)
    underWay.delete(node)
    done.set(node, expanded)
    return expanded
  }

  expand(root)
  if (!mayBeObject(root, nodes))
    throw new SchemaError(hasType(root) ? ['type'] : [], 'must allow an object: the result is one')
}

function targetOf({ schema, path }: Node, nodes: Nodes): Node | undefined {
  const reference = typeof schema === 'boolean' ? undefined : schema.$ref
  if (typeof reference !== 'string') return undefined
  const target = reference.startsWith('#') ? nodes.get(decoded(reference.slice(1))) : undefined
  if (!target) throw new SchemaError([...path, '$ref'], 'must lead to a schema inside of this one, as in #/$defs/name')
  return target
}

function decoded(fragment: string): Pointer {
  try {
    return decodeURIComponent(fragment)
  } catch {
    // a reference that cannot be decoded has no target
    return 'nowhere'
  }
}

const hasType = ({ schema }: Node): boolean => typeof schema !== 'boolean' && schema.type !== undefined

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** False when, by its types and values, no object fits. The references are known not to be circular. */
function mayBeObject(node: Node, nodes: Nodes): boolean {
  const { schema } = node
  if (typeof schema === 'boolean') return schema
  const { type, enum: values, anyOf, oneOf, allOf } = schema
  if (type !== undefined && ![type].flat().includes('object')) return false
  if (Array.isArray(values) && !values.some(isObject)) return false
  if ('const' in schema && !isObject(schema.const)) return false
  const target = targetOf(node, nodes)
  if (target && !mayBeObject(target, nodes)) return false
  const among = (keyword: string, list: unknown): boolean[] =>
    Array.isArray(list) ? list.map((_, i) => mayBeObject(childOf(node, keyword, i), nodes)) : []
  const every = (list: boolean[]) => list.every(Boolean)
  const some = (list: boolean[]) => list.length === 0 || list.some(Boolean)
  return every(among('allOf', allOf)) && some(among('anyOf', anyOf)) && some(among('oneOf', oneOf))
}

function childOf({ children, path }: Node, keyword: string, index: number): Node {
  const found = children.find(
    (child) =>
      child.path.at(-2) === keyword && child.path.at(-1) === String(index) && child.path.length === path.length + 2,
  )
  if (!found) throw new Error(`there is no ${keyword}/${index}`)
  return found
}
