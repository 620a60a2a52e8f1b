import { inPlace, typeOf } from './keywords.ts'
import { SchemaError } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'
import { isObject, type Node, type Pointer, type Tree } from './schema-tree.ts'

/** The size of a schema with every reference replaced by its target. */
type Expanded = { nodes: number; depth: number }

/**
 * Follows the references, which must stay inside the schema, and bounds the expanded size: a few references can
 * expand to more work than there is time for.
 * @throws SchemaError
 */
export function assertBounded(tree: Tree): void {
  assertNoBareCircle(tree)
  const done = new Map<Node, Expanded>()

  const expand = (node: Node): Expanded => {
    const known = done.get(node)
    if (known) return known
    // a reference back to this node counts as one schema: the number of rounds depends on the value, which is bounded
    done.set(node, { nodes: 1, depth: 1 })
    const target = targetOf(node, tree)
    const inside = [...node.children.map((child) => child.node), ...(target ? [target] : [])].map(expand)
    const expanded = {
      nodes: inside.reduce((sum, one) => sum + one.nodes, 1),
      depth: inside.reduce((most, one) => Math.max(most, one.depth), 0) + 1,
    }
    if (expanded.nodes > schemaLimits.expandedNodes)
      throw new SchemaError(node.path, `is more than ${schemaLimits.expandedNodes} schemas with what it refers to`)
    if (expanded.depth > schemaLimits.depth)
      throw new SchemaError(node.path, `is deeper than ${schemaLimits.depth} schemas with what it refers to`)
    done.set(node, expanded)
    return expanded
  }

  expand(tree.root)
  if (!mayBeObject(tree.root, tree))
    throw new SchemaError(pathOfType(tree.root), 'must allow an object: the result is one')
}

/** Refuses a circle of references that passes through no property or item: checking a value would never end. */
function assertNoBareCircle(tree: Tree): void {
  const done = new Set<Node>()
  const underWay = new Set<Node>()
  const follow = (node: Node): void => {
    if (done.has(node)) return
    if (underWay.has(node))
      throw new SchemaError(
        node.path,
        'refers to itself, and no value ends the circle: refer to it from a schema in properties or items',
      )
    underWay.add(node)
    const target = targetOf(node, tree)
    if (target) follow(target)
    for (const child of node.children) if (inPlace.has(child.keyword)) follow(child.node)
    underWay.delete(node)
    done.add(node)
  }
  for (const node of tree.nodes.values()) follow(node)
}

/**
 * The target of a schema's reference, if it has one: a place by its pointer, or a schema by its `$id`.
 * @throws SchemaError if there is no such schema
 */
export function targetOf({ schema, path, base }: Node, { nodes, pointers }: Tree): Node | undefined {
  const reference = typeof schema === 'boolean' ? undefined : schema.$ref
  if (typeof reference !== 'string') return undefined
  const [id = '', fragment = ''] = reference.split('#', 2)
  const from = id === '' ? base : withId(id, base, nodes, [...path, '$ref'])
  const pointer = decoded(fragment)
  // `#` means the schema with the nearest $id, but generators that nest those still write pointers from the root
  const target = (from && nodes.get(`${pointers.get(from)}${pointer}`)) ?? (id === '' ? nodes.get(pointer) : undefined)
  if (!target || !pointers.get(target)?.isWellFormed())
    throw new SchemaError([...path, '$ref'], 'must lead to a schema inside of this one, as in #/$defs/name')
  return target
}

/** The schema with an `$id`. The same one may appear in several places, as TypeBox writes it. */
function withId(id: string, base: Node, nodes: Tree['nodes'], path: readonly string[]): Node | undefined {
  if (idOf(base) === id) return base
  const [first, ...others] = [...nodes.values()].filter((node) => idOf(node) === id)
  const text = first && JSON.stringify(first.schema)
  if (others.some(({ schema }) => JSON.stringify(schema) !== text))
    throw new SchemaError(path, 'leads to several schemas with the same $id: give each its own')
  return first
}

const idOf = ({ schema }: Node): unknown =>
  isObject(schema) && typeof schema.$id === 'string' ? schema.$id.replace(/#$/, '') : undefined

function decoded(fragment: string): Pointer {
  try {
    return decodeURIComponent(fragment)
  } catch {
    // a reference that cannot be decoded has no target
    return 'nowhere'
  }
}

const pathOfType = ({ schema, path }: Node): readonly string[] =>
  typeof schema !== 'boolean' && schema.type !== undefined ? [...path, 'type'] : path

/**
 * False if no object can fit, judging by the schema's types and values. Assumes that no circle passes without a
 * property or item.
 */
function mayBeObject(node: Node, tree: Tree): boolean {
  const { schema } = node
  if (typeof schema === 'boolean') return schema
  const { type, enum: values } = schema
  if (type !== undefined && ![type].flat().some((one) => typeOf(String(one)) === 'object')) return false
  if (Array.isArray(values) && !values.some(isObject)) return false
  if ('const' in schema && !isObject(schema.const)) return false
  const target = targetOf(node, tree)
  if (target && !mayBeObject(target, tree)) return false
  const among = (keyword: string): boolean[] =>
    node.children.filter((child) => child.keyword === keyword).map((child) => mayBeObject(child.node, tree))
  const some = (list: boolean[]) => list.length === 0 || list.some(Boolean)
  return among('allOf').every(Boolean) && some(among('anyOf')) && some(among('oneOf'))
}
