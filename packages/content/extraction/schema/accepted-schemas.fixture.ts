import type { GivenSchema } from './schema-tree.ts'

/** An accepted schema, an answer that fits it, and one that does not. `strict`: providers accept it in strict mode. */
export type Taken = { name: string; schema: GivenSchema; fits: unknown; fails: unknown; strict?: true }

export const text = { type: 'string' }
export const object = (properties: Record<string, unknown>, more: object = {}): GivenSchema => ({
  type: 'object',
  properties,
  ...more,
})
export const closed = (properties: Record<string, unknown>): GivenSchema =>
  object(properties, { required: Object.keys(properties), additionalProperties: false })
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
export const nested = (levels: number, inner: unknown): unknown =>
  times(levels, () => 0).reduce<unknown>((schema) => object({ a: schema }), inner)

/** A schema of the property `a`, with a value that fits it, and one that does not. */
export const property = (name: string, schema: unknown, fits: unknown, fails: unknown): Taken => {
  return { name, schema: object({ a: schema }), fits: { a: fits }, fails: { a: fails } }
}

/** Schemas of every kind that callers and their libraries write. */
export const taken: Taken[] = [
  { name: 'an object of strings', schema: object({ a: text }, { required: ['a'] }), fits: { a: '' }, fails: {} },
  { name: 'everything, as {}', schema: {}, fits: { any: 1 }, fails: [1] },
  { name: 'a closed object', schema: closed({ a: text }), fits: { a: 'b' }, fails: { a: 'b', c: 1 }, strict: true },
  {
    name: 'lists of closed objects',
    schema: closed({ list: { type: 'array', items: closed({ n: { type: 'integer' } }) } }),
    fits: { list: [{ n: 1 }] },
    fails: { list: [{ n: 1.5 }] },
    strict: true,
  },
  {
    name: 'a definition used twice',
    schema: {
      ...closed({ a: { $ref: '#/$defs/name' }, b: { $ref: '#/$defs/name' } }),
      $defs: { name: { type: 'string', enum: ['x', 'y'] } },
    },
    fits: { a: 'x', b: 'y' },
    fails: { a: 'x', b: 'z' },
    strict: true,
  },
  {
    name: 'what Pydantic writes: anyOf with null, titles, defaults',
    schema: {
      ...object({ a: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'A' } }),
      title: 'Answer',
    },
    fits: { a: null },
    fails: { a: 'x' },
  },
  {
    name: 'what zod writes: $schema and additionalProperties',
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...closed({ a: { type: ['string', 'null'] } }) },
    fits: { a: null },
    fails: { a: 1 },
    strict: true,
  },
  {
    name: 'definitions of draft 7',
    schema: { $ref: '#/definitions/root', definitions: { root: object({ a: text }, { required: ['a'] }) } },
    fits: { a: 'x' },
    fails: { b: 'x' },
  },
  {
    name: 'a reference with escapes',
    schema: { ...object({ a: { $ref: '#/$defs/a~1b~0c%20d' } }), $defs: { 'a/b~c d': text } },
    fits: { a: 'x' },
    fails: { a: 1 },
  },
  {
    name: 'a reference to a property',
    schema: object({ a: { type: 'integer' }, b: { $ref: '#/properties/a' } }),
    fits: { b: 1 },
    fails: { b: 'x' },
  },
  property('a tuple', { prefixItems: [text, { type: 'number' }], items: false }, ['x', 1], ['x', 1, 2]),
  property('bounds of a list', { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true }, [1, 2], [1, 1]),
  property('contains', { contains: { const: 7 }, minContains: 2, maxContains: 3 }, [7, 7], [7]),
  property('lengths', { type: 'string', minLength: 2, maxLength: 3 }, '😀😀', '😀'),
  property('numbers', { minimum: 0, exclusiveMaximum: 10, multipleOf: 0.5 }, 9.5, 10),
  property('const and null', { const: null }, null, 0),
  property('enum of objects', { enum: [{ x: [1] }, 2] }, { x: [1] }, { x: [2] }),
  property('oneOf', { oneOf: [{ type: 'integer' }, { minimum: 5 }] }, 1, 6),
  property('not', { not: text }, 1, 'x'),
  {
    name: 'if, then, else',
    schema: object(
      { a: {} },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { properties: { a: { const: 1 } } }, then: { required: ['b'] }, else: { required: ['c'] } },
    ),
    fits: { a: 1, b: 0 },
    fails: { a: 2, b: 0 },
  },
  {
    name: 'allOf over a definition',
    schema: { allOf: [{ $ref: '#/$defs/a' }, { required: ['b'] }], $defs: { a: object({ a: text }) } },
    fits: { b: 1 },
    fails: { a: 'x' },
  },
  {
    name: 'names that fit a pattern',
    schema: { type: 'object', patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false },
    fits: { n_a: 1 },
    fails: { m: 1 },
  },
  {
    name: 'propertyNames',
    schema: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
    fits: { ab: 1 },
    fails: { A: 1 },
  },
  {
    name: 'dependentRequired',
    schema: { type: 'object', dependentRequired: { a: ['b'] } },
    fits: { a: 1, b: 1 },
    fails: { a: 1 },
  },
  {
    name: 'dependentSchemas',
    schema: { type: 'object', dependentSchemas: { a: { required: ['c'] } } },
    fits: { a: 1, c: 1 },
    fails: { a: 1 },
  },
  { name: 'minProperties', schema: { minProperties: 1, maxProperties: 1 }, fits: { a: 1 }, fails: {} },
  property('a pattern in another alphabet', { pattern: '^\\p{L}+\\u00e9$' }, 'Ωé', '1é'),
  {
    name: 'two patterns, each its own',
    schema: object({ a: { pattern: '^a$' }, b: { pattern: '^b$' } }),
    fits: { a: 'a', b: 'b' },
    fails: { a: 'a', b: 'a' },
  },
  property(
    'a pattern that others backtrack on, in linear time',
    { pattern: '^(a+)+$' },
    'a'.repeat(40),
    `${'a'.repeat(5000)}!`,
  ),
  {
    name: 'formats',
    schema: object({ d: { format: 'date' }, u: { type: 'string', format: 'uri' } }),
    fits: { d: '2026-11-21', u: 'https://example.com/' },
    fails: { d: 'yesterday' },
  },
  {
    name: 'an unknown format, as an annotation',
    schema: object({ d: { format: 'phone' }, e: text }),
    fits: { d: '?' },
    fails: { e: 1 },
  },
  {
    name: 'names of Object.prototype',
    schema: object({ constructor: text, toString: text }, { required: ['toString'] }),
    fits: { toString: 'x' },
    fails: {},
  },
  {
    name: 'names with quotes, line ends and code',
    schema: object({ '"]; throw 1; //': text, "a'b\n`${1}`\u2028": { type: 'integer' } }),
    fits: { '"]; throw 1; //': 'x' },
    fails: { "a'b\n`${1}`\u2028": 'x' },
  },
  {
    name: 'a property called properties',
    schema: object({ properties: text, $ref: text, type: text }),
    fits: { $ref: 'x' },
    fails: { $ref: 1 },
  },
  { name: 'booleans as schemas', schema: object({ a: true, b: false }), fits: { a: 1 }, fails: { b: 1 } },
  {
    name: 'annotations',
    schema: {
      ...object(
        { a: { examples: [], deprecated: true, readOnly: false, writeOnly: false, $comment: '' } },
        { required: ['a'] },
      ),
      description: 'x',
    },
    fits: { a: 1 },
    fails: {},
  },
  {
    name: 'an object or null at the root',
    schema: { type: ['object', 'null'], required: ['a'] },
    fits: { a: 1 },
    fails: {},
  },
  {
    name: 'an object or a list at the root, by anyOf',
    schema: { anyOf: [{ type: 'array' }, object({ a: text }, { required: ['a'] })] },
    fits: { a: 'x' },
    fails: { a: 1 },
  },
  { name: 'sixteen levels', schema: nested(15, text) as GivenSchema, fits: {}, fails: { a: 1 } },
  {
    name: 'a hundred properties',
    schema: object(Object.fromEntries(times(400, (i) => [`p${i}`, text]))),
    fits: {},
    fails: { p9: 1 },
  },
]
