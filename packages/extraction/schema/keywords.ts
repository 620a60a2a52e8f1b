/** The form of a keyword's value, which decides how it is checked. */
export type Form =
  | 'schema'
  | 'schemas'
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
  | 'positive number'
  | 'boolean'
  | 'text'
  | 'values'
  | 'value'

/** The keywords of JSON Schema (2020-12) that a caller may use, with `definitions` of older drafts. */
const formOf: Readonly<Record<string, Form>> = {
  $schema: 'text',
  $comment: 'text',
  $defs: 'schemas by name',
  definitions: 'schemas by name',
  $ref: 'reference',

  title: 'text',
  description: 'text',
  default: 'value',
  examples: 'value',
  deprecated: 'boolean',
  readOnly: 'boolean',
  writeOnly: 'boolean',

  type: 'types',
  enum: 'values',
  const: 'value',

  properties: 'schemas by name',
  patternProperties: 'schemas by pattern',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  required: 'names',
  minProperties: 'count',
  maxProperties: 'count',
  dependentRequired: 'names by name',
  dependentSchemas: 'schemas by name',

  items: 'schema',
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
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
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
export const formOfKeyword = (keyword: string): Form | undefined => forms.get(keyword)

export const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const

/** Formats that answers are validated against; any other is an annotation, as JSON Schema allows. */
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
