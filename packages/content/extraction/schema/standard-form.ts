import { equalForms } from './equal-forms.ts'
import { boundBeside, formOfKeyword, isLeftOut, typeOf } from './keywords.ts'
import { targetOf } from './references.ts'
import { type Child, escaped, type GivenSchema, isObject, type Node, type Pointer, readTree } from './schema-tree.ts'

/**
 * A schema (that `assertSchema` accepts) in JSON Schema 2020-12 alone: without its envelope, without additions of
 * other dialects and generators, and with patterns without look-around. It means the same. Models are shown this
 * form, and answers are validated against it.
 */
export function standardForm(given: GivenSchema): GivenSchema {
  const tree = readTree(given)
  const places = new Map<Node, Pointer>()
  place(tree.root, '', places)
  return writeSchema(tree.root, (node) => {
    const target = targetOf(node, tree)
    return target && `#${encodeURI(places.get(target) ?? '').replaceAll('#', '%23')}`
  }) as GivenSchema
}

/** Finds the place of each schema in the standard form. */
function place(node: Node, pointer: Pointer, places: Map<Node, Pointer>): void {
  places.set(node, pointer)
  const inside = isWrapped(node) ? `${pointer}/anyOf/0` : pointer
  for (const child of node.children) {
    const [, ...names] = child.steps
    place(child.node, [inside, keywordOf(child, node), ...names.map(escaped)].join('/'), places)
  }
}

/** The keyword of 2020-12. Tuples used to be lists of `items`, followed by `additionalItems`. */
function keywordOf({ keyword, steps }: Pick<Child, 'keyword' | 'steps'>, { schema }: Node): string {
  if (keyword === 'items' && steps.length > 1) return 'prefixItems'
  return keyword === 'additionalItems' && isObject(schema) && Array.isArray(schema.items) ? 'items' : keyword
}

/** Keywords that may refuse null. `nullable` cannot be added to them. */
const refusing = ['$ref', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if']

/** Whether an `anyOf` around the schema must add null, because adding it to its types and values is not enough. */
const isWrapped = ({ schema }: Node): boolean =>
  isObject(schema) && schema.nullable === true && refusing.some((keyword) => keyword in schema)

function writeSchema(node: Node, referenceOf: (node: Node) => string | undefined): unknown {
  if (!isObject(node.schema)) return node.schema
  const given = node.schema
  const written: GivenSchema = {}
  for (const [keyword, value] of Object.entries(given))
    if (!isLeftOut(keyword)) Object.assign(written, writeKeyword(keyword, value, { node, given, referenceOf }))
  addPatterns(written, given.pattern)
  if (given.example !== undefined && given.examples === undefined) written.examples = [given.example]
  if (given.nullable !== true) return written
  return isWrapped(node) ? { anyOf: [written, { type: 'null' }] } : withNull(written)
}

type Around = { node: Node; given: GivenSchema; referenceOf: (node: Node) => string | undefined }

/** @returns the keywords of 2020-12 that replace one keyword */
function writeKeyword(keyword: string, value: unknown, { node, given, referenceOf }: Around): GivenSchema {
  const children = node.children.filter((child) => child.keyword === keyword)
  const inside = children.map((child) => writeSchema(child.node, referenceOf))
  switch (formOfKeyword(keyword)) {
    case 'schema':
      // older drafts ignore it unless `items` is a tuple
      if (keyword === 'additionalItems' && !Array.isArray(given.items)) return {}
      return { [keywordOf({ keyword, steps: [keyword] }, node)]: inside[0] }
    case 'items':
      if (!Array.isArray(value)) return { items: inside[0] }
      return inside.length === 0 ? {} : { prefixItems: inside }
    case 'schemas':
      return { [keyword]: inside }
    case 'schemas by name':
      return { [keyword]: Object.fromEntries(children.map(({ steps }, i) => [steps[1], inside[i]])) }
    case 'schemas by pattern':
      return { [keyword]: Object.fromEntries(children.map(({ steps }, i) => [nameOf(steps[1] ?? ''), inside[i]])) }
    case 'reference':
      return { $ref: referenceOf(node) }
    case 'types':
      return { type: Array.isArray(value) ? value.map(typeOf) : typeOf(value as string) }
    case 'count':
      return { [keyword]: Number(value) }
    case 'exclusive bound':
      if (typeof value === 'boolean') return value ? { [keyword]: given[boundBeside(keyword)] } : {}
      return { [keyword]: value }
    case 'pattern':
      return {}
    default:
      return { [keyword]: value }
  }
}

/** A key of `patternProperties`, which can hold only one pattern. */
function nameOf(source: string): string {
  const { all } = equalForms(source)
  return (all.length === 1 && all[0]) || source
}

function addPatterns(written: GivenSchema, source: unknown): void {
  if (typeof source !== 'string') return
  const { all, none } = equalForms(source)
  const [first, ...others] = all
  const more = [
    ...others.map((pattern) => ({ pattern })),
    ...none.map((pattern) => ({ not: { type: 'string', pattern } })),
  ]
  written.pattern = first
  if (more.length > 0) written.allOf = [...((written.allOf as unknown[] | undefined) ?? []), ...more]
}

function withNull(schema: GivenSchema): GivenSchema {
  const { type, enum: values } = schema
  return {
    ...schema,
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  }
}
