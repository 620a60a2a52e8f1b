/** The form of a keyword's value, which decides how it is checked. */
export type Form =
  | 'schema'
  | 'schemas'
  | 'items'
  | 'schemas by name'
  | 'schemas by pattern'
  | 'reference'
  | 'types'
  | 'names'
  | 'names by name'
  | 'pattern'
  | 'format'
  | 'count'
  | 'number'
  | 'exclusive bound'
  | 'positive number'
  | 'boolean'
  | 'text'
  | 'values'
  | 'value'

/** The keywords of JSON Schema (2020-12) that a caller may use, and those that generators of schemas add. */
const formOf: Readonly<Record<string, Form>> = {
  $schema: 'text',
  $comment: 'text',
  $id: 'text',
  $defs: 'schemas by name',
  definitions: 'schemas by name',
  $ref: 'reference',

  title: 'text',
  description: 'text',
  default: 'value',
  examples: 'value',
  deprecated: 'value',
  readOnly: 'boolean',
  writeOnly: 'boolean',
  contentEncoding: 'text',
  contentMediaType: 'text',

  // annotations of OpenAPI, Gemini and Zod, and the schema of a text's content, which is not checked
  contentSchema: 'value',
  discriminator: 'value',
  example: 'value',
  externalDocs: 'value',
  id: 'text',
  propertyOrdering: 'value',
  xml: 'value',

  type: 'types',
  nullable: 'boolean',
  enum: 'values',
  const: 'value',

  properties: 'schemas by name',
  patternProperties: 'schemas by pattern',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: 'names',
  minProperties: 'count',
  maxProperties: 'count',
  dependentRequired: 'names by name',
  dependentSchemas: 'schemas by name',

  items: 'items',
  additionalItems: 'schema',
  unevaluatedItems: 'schema',
  prefixItems: 'schemas',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'boolean',

  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  format: 'format',

  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'exclusive bound',
  exclusiveMaximum: 'exclusive bound',
  multipleOf: 'positive number',

  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: the name that JSON Schema gives it
  then: 'schema',
  else: 'schema',
}

const forms: ReadonlyMap<string, Form> = new Map(Object.entries(formOf))

/** The form of a keyword's value; undefined for a keyword that is not allowed. */
export const formOfKeyword = (keyword: string): Form | undefined =>
  forms.get(keyword) ?? (keyword.startsWith('x-') ? 'value' : undefined)

const notStandard = new Set([
  ...['$schema', '$id', 'id', 'contentSchema', 'discriminator', 'example', 'externalDocs', 'propertyOrdering', 'xml'],
  'nullable',
])

/** Whether the standard form leaves out the keyword: not in JSON Schema, or without a say about values. */
export const isLeftOut = (keyword: string): boolean => notStandard.has(keyword) || keyword.startsWith('x-')

/** The keywords with schemas that apply to the same value as the schema around them. */
export const inPlace: ReadonlySet<string> = new Set(
  ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'], // and $ref
)

/** What to write instead of a keyword that is not allowed. */
const instead: ReadonlyMap<string, string> = new Map([
  ...['$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef'].map(
    (keyword) => [keyword, '$ref with a pointer, as in #/$defs/name'] as const,
  ),
  ['dependencies', 'dependentRequired or dependentSchemas'],
  ['divisibleBy', 'multipleOf'],
  ['disallow', 'not'],
  ['extends', 'allOf'],
  ...['name', 'strict', 'input_schema', 'parameters', 'function'].map(
    (keyword) => [keyword, 'the schema alone, or as {name, strict, schema}'] as const,
  ),
  ['optional', 'the names of the other properties in required'],
])

/** Why a keyword is refused, and what to write instead. */
export const refusalOf = (keyword: string): string =>
  `is not a keyword that is allowed: ${
    instead.has(keyword) ? `write ${instead.get(keyword)}` : 'leave it out, or write an annotation of your own as x-…'
  }`

/** The keyword that a boolean `exclusiveMinimum` or `exclusiveMaximum` refers to. */
export const boundBeside = (keyword: string): string => (keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum')

export const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const

/** A type in the spelling of JSON Schema: Gemini's helpers write OBJECT for object. */
export const typeOf = (type: string): string => (/^[A-Z]+$/.test(type) ? type.toLowerCase() : type)

/** Formats that answers are validated against. Any other is an annotation, as JSON Schema allows. */
export const checkedFormats = [
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
] as const
