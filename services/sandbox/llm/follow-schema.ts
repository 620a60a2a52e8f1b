/** The sentences of a text, in order, repeated endlessly. */
export class Sentences {
  readonly #all: readonly string[]
  #next = 0

  constructor(all: readonly string[]) {
    this.#all = all.length > 0 ? all : ['Nothing is said.']
  }

  next(): string {
    return this.#all[this.#next++ % this.#all.length] ?? ''
  }
}

type Schema = Record<string, unknown>

const MAX_LEVELS = 32
/** From this level on, a recursive schema is followed only as far as it requires. */
const MANY_LEVELS = 6
const samples: Record<string, string> = {
  date: '2026-01-01',
  time: '12:00:00Z',
  'date-time': '2026-01-01T12:00:00Z',
  duration: 'PT1M',
  email: 'stand-in@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/**
 * A value that fits the plain parts of a schema, with the given sentences as texts. Other parts of a schema, such as
 * patterns, are ignored.
 */
export function followSchema(schema: unknown, root: Schema, sentences: Sentences, level = 0): unknown {
  if (typeof schema !== 'object' || schema === null || level > MAX_LEVELS) return sentences.next()
  const given = wholeOf(schema as Schema, root)
  if ('const' in given) return given.const
  if (Array.isArray(given.enum)) return given.enum[0]
  const among = [given.anyOf, given.oneOf].find(Array.isArray)
  const isDeep = level >= MANY_LEVELS
  if (among) {
    const chosen = among.find((one) => (one?.type === 'null') === isDeep) ?? among[0]
    return followSchema(chosen, root, sentences, level + 1)
  }
  const inside = (one: unknown): unknown => followSchema(one, root, sentences, level + 1)
  switch (typeOf(given)) {
    case 'object':
      return objectOf(given, inside, isDeep)
    case 'array':
      return listOf(given, inside, isDeep)
    case 'integer':
    case 'number':
      return numberOf(given)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return textOf(given, sentences)
  }
}

/** The schema with its references and `allOf` resolved. */
function wholeOf(schema: Schema, root: Schema): Schema {
  const { $ref, allOf, ...own } = schema
  const target = typeof $ref === 'string' ? wholeOf(lookUp($ref, root), root) : {}
  const parts = Array.isArray(allOf) ? allOf.map((one) => wholeOf(one as Schema, root)) : []
  const all = [target, ...parts, own]
  const merged = Object.assign({}, ...all)
  const properties = Object.assign({}, ...all.map((one) => one.properties ?? {}))
  const required = all.flatMap((one) => (Array.isArray(one.required) ? one.required : []))
  return { ...merged, properties, required }
}

function lookUp(reference: string, root: Schema): Schema {
  const [, ...names] = decodeURIComponent(reference).split('/')
  const unescaped = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return unescaped.reduce<Schema>((schema, name) => (schema[name] ?? {}) as Schema, root)
}

function typeOf({ type, properties, items, prefixItems }: Schema): unknown {
  if (type !== undefined) return [type].flat().find((one) => one !== 'null') ?? 'null'
  if (Object.keys(properties as object).length > 0) return 'object'
  return items !== undefined || prefixItems !== undefined ? 'array' : 'string'
}

type Inside = (schema: unknown) => unknown

function objectOf({ properties, required }: Schema, inside: Inside, isDeep: boolean): unknown {
  const needed = new Set(required as string[])
  const known = Object.entries(properties as Schema).filter(
    ([name, schema]) => schema !== false && (!isDeep || needed.has(name)),
  )
  const more = [...needed].filter((name) => !Object.hasOwn(properties as Schema, name))
  return Object.fromEntries(
    [...known, ...more.map((name) => [name, {}] as const)].map(([name, one]) => [name, inside(one)]),
  )
}

function listOf({ items, prefixItems, minItems, maxItems }: Schema, inside: Inside, isDeep: boolean): unknown[] {
  const first = Array.isArray(prefixItems) ? prefixItems.map(inside) : []
  const count = Math.min(Math.max(Number(minItems ?? 0), isDeep ? 0 : 2), Number(maxItems ?? 20), 20)
  const rest = items === false ? 0 : Math.max(0, count - first.length)
  return [...first, ...Array.from({ length: rest }, () => inside(items ?? {}))]
}

function numberOf({ minimum, exclusiveMinimum, maximum, multipleOf }: Schema): number {
  const least = Number(minimum ?? Number(exclusiveMinimum ?? -1) + 1)
  const step = Number(multipleOf ?? 1)
  return Math.min(Math.ceil(least / step) * step, Number(maximum ?? Number.MAX_SAFE_INTEGER))
}

function textOf({ format, minLength, maxLength }: Schema, sentences: Sentences): string {
  const sample = typeof format === 'string' ? samples[format] : undefined
  return (
    sample ??
    sentences
      .next()
      .padEnd(Number(minLength ?? 0), '.')
      .slice(0, Number(maxLength ?? 10_000))
  )
}
