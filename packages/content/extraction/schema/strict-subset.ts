import { formOfKeyword } from './keywords.ts'

/** The keywords that OpenAI documents for `strict: true`; other providers have adopted them. */
const allowed = new Set(
  [
    ['$schema', '$comment', '$defs', 'definitions', '$ref', 'title', 'description', 'type', 'enum', 'const', 'anyOf'],
    ['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ].flat(),
)
const strictFormats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])
const MAX_DEPTH = 5
const MAX_PROPERTIES = 100

/**
 * Whether a schema in its standard form may be sent with `strict: true`: every object closed, every property
 * required, and no keyword beyond the subset. Providers refuse any other schema in strict mode, so it must be sent
 * with `strict: false`.
 */
export function isStrict(schema: Record<string, unknown>): boolean {
  if (schema.type !== 'object' || schema.anyOf !== undefined) return false
  const count = { properties: 0 }
  return fits(schema, 1, count) && count.properties <= MAX_PROPERTIES
}

function fits(schema: unknown, depth: number, count: { properties: number }): boolean {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return false
  const given = schema as Record<string, unknown>
  if (!Object.keys(given).every((keyword) => allowed.has(keyword))) return false
  if (typeof given.format === 'string' && !strictFormats.has(given.format)) return false
  if ([given.type].flat().includes('object') && !isClosed(given, count)) return false
  return Object.entries(given).every(([keyword, value]) => insideFits(keyword, value, depth, count))
}

function isClosed(schema: Record<string, unknown>, count: { properties: number }): boolean {
  const names = Object.keys((schema.properties as Record<string, unknown> | undefined) ?? {})
  const required = new Set((schema.required as string[] | undefined) ?? [])
  count.properties += names.length
  return (
    schema.additionalProperties === false && names.length === required.size && names.every((name) => required.has(name))
  )
}

function insideFits(keyword: string, value: unknown, depth: number, count: { properties: number }): boolean {
  switch (formOfKeyword(keyword)) {
    case 'schema':
    case 'items':
      return keyword === 'additionalProperties' || fits(value, depth + 1, count)
    case 'schemas':
      return (value as unknown[]).every((one) => fits(one, depth + 1, count))
    case 'schemas by name':
      return Object.values(value as object).every((one) => fits(one, depth + 1, count))
    default:
      return true
  }
}
