import { expect } from 'chai'
import { Validation } from '../answer/validation.ts'
import { assertSchema, type GivenSchema, schemaLimits } from './check-schema.ts'
import { SchemaError } from './schema-error.ts'
import { isStrict } from './strict-subset.ts'

/** A schema that is taken, an answer that fits it, and one that does not. */
type Taken = { name: string; schema: GivenSchema; fits: unknown; fails: unknown; strict?: true }
/** A schema that is refused, and where. */
type Refused = { name: string; schema: unknown; path: string }

const text = { type: 'string' }
const object = (properties: Record<string, unknown>, more: object = {}): GivenSchema => ({
  type: 'object',
  properties,
  ...more,
})
const closed = (properties: Record<string, unknown>): GivenSchema =>
  object(properties, { required: Object.keys(properties), additionalProperties: false })
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const nested = (levels: number, inner: unknown): unknown =>
  times(levels, () => 0).reduce<unknown>((schema) => object({ a: schema }), inner)

const taken: Taken[] = [
  { name: 'an object of texts', schema: object({ a: text }, { required: ['a'] }), fits: { a: '' }, fails: {} },
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
  {
    name: 'a tuple',
    schema: object({ t: { prefixItems: [text, { type: 'number' }], items: false } }),
    fits: { t: ['x', 1] },
    fails: { t: ['x', 1, 2] },
  },
  {
    name: 'counts of a list',
    schema: object({ l: { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true } }),
    fits: { l: [1, 2] },
    fails: { l: [1, 1] },
  },
  {
    name: 'contains',
    schema: object({ l: { contains: { const: 7 }, minContains: 2, maxContains: 3 } }),
    fits: { l: [7, 7] },
    fails: { l: [7] },
  },
  {
    name: 'lengths',
    schema: object({ s: { type: 'string', minLength: 2, maxLength: 3 } }),
    fits: { s: '😀😀' },
    fails: { s: '😀' },
  },
  {
    name: 'numbers',
    schema: object({ n: { minimum: 0, exclusiveMaximum: 10, multipleOf: 0.5 } }),
    fits: { n: 9.5 },
    fails: { n: 10 },
  },
  { name: 'const and null', schema: object({ a: { const: null } }), fits: { a: null }, fails: { a: 0 } },
  {
    name: 'enum of objects',
    schema: object({ a: { enum: [{ x: [1] }, 2] } }),
    fits: { a: { x: [1] } },
    fails: { a: { x: [2] } },
  },
  {
    name: 'oneOf',
    schema: object({ a: { oneOf: [{ type: 'integer' }, { minimum: 5 }] } }),
    fits: { a: 1 },
    fails: { a: 6 },
  },
  { name: 'not', schema: object({ a: { not: text } }), fits: { a: 1 }, fails: { a: 'x' } },
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
  {
    name: 'a pattern in another alphabet',
    schema: object({ s: { pattern: '^\\p{L}+\\u00e9$' } }),
    fits: { s: 'Ωé' },
    fails: { s: '1é' },
  },
  {
    name: 'two patterns, each its own',
    schema: object({ a: { pattern: '^a$' }, b: { pattern: '^b$' } }),
    fits: { a: 'a', b: 'b' },
    fails: { a: 'a', b: 'a' },
  },
  {
    name: 'a pattern that others backtrack on, in linear time',
    schema: object({ s: { pattern: '^(a+)+$' } }),
    fits: { s: 'a'.repeat(40) },
    fails: { s: `${'a'.repeat(5000)}!` },
  },
  {
    name: 'formats',
    schema: object({ d: { format: 'date' }, u: { type: 'string', format: 'uri' } }),
    fits: { d: '2026-11-21', u: 'https://example.com/' },
    fails: { d: 'yesterday' },
  },
  {
    name: 'a format nobody knows, as a remark',
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

const doubling = (levels: number): GivenSchema => ({
  $ref: '#/$defs/d0',
  $defs: {
    ...Object.fromEntries(
      times(levels, (i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]),
    ),
    [`d${levels}`]: {},
  },
})
const pattern = (source: string): GivenSchema => object({ a: { pattern: source } })

const refused: Refused[] = [
  { name: 'a type that is none', schema: object({ a: { type: 'strange' } }), path: 'properties.a.type' },
  { name: 'a type twice', schema: object({ a: { type: ['null', 'null'] } }), path: 'properties.a.type' },
  { name: 'no type in the list', schema: object({ a: { type: [] } }), path: 'properties.a.type' },
  { name: 'a list at the root', schema: { type: 'array' }, path: 'type' },
  { name: 'a text at the root, by reference', schema: { $ref: '#/$defs/a', $defs: { a: text } }, path: '' },
  { name: 'a root that is a text or a number', schema: { anyOf: [text, { type: 'number' }] }, path: '' },
  { name: 'a root that is always 7', schema: { const: 7 }, path: '' },
  { name: 'a root out of two words', schema: { enum: ['a', 'b'] }, path: '' },
  { name: 'a root that is nothing', schema: { allOf: [{ type: 'object' }, false] }, path: '' },
  { name: 'a remote $ref', schema: object({ a: { $ref: 'http://127.0.0.1/s.json' } }), path: 'properties.a.$ref' },
  { name: 'a $ref to a file', schema: object({ a: { $ref: 'file:///etc/passwd' } }), path: 'properties.a.$ref' },
  {
    name: 'a $ref to a dialect',
    schema: object({ a: { $ref: 'https://json-schema.org/draft/2020-12/schema' } }),
    path: 'properties.a.$ref',
  },
  { name: 'a $ref to nothing', schema: object({ a: { $ref: '#/$defs/b' } }), path: 'properties.a.$ref' },
  {
    name: 'a $ref into a value',
    schema: object({ a: { $ref: '#/properties/b/const' }, b: { const: {} } }),
    path: 'properties.a.$ref',
  },
  { name: 'a $ref to an anchor', schema: object({ a: { $ref: '#b' } }), path: 'properties.a.$ref' },
  { name: 'a $ref that cannot be decoded', schema: object({ a: { $ref: '#/%zz' } }), path: 'properties.a.$ref' },
  {
    name: 'a $ref to a name of Object.prototype',
    schema: object({ a: { $ref: '#/constructor' } }),
    path: 'properties.a.$ref',
  },
  { name: 'a $ref that is no text', schema: object({ a: { $ref: 1 } }), path: 'properties.a.$ref' },
  { name: 'itself', schema: { $ref: '#' }, path: '' },
  { name: 'a tree of itself', schema: object({ children: { items: { $ref: '#' } } }), path: '' },
  {
    name: 'a circle of three',
    schema: {
      $ref: '#/$defs/a',
      $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/c' } }, c: { $ref: '#/$defs/a' } },
    },
    path: '$defs.a',
  },
  { name: 'references that double, 2^20 schemas', schema: doubling(14), path: '$defs.d3' },
  {
    name: 'references that go deep',
    schema: {
      $ref: '#/$defs/d0',
      $defs: { ...Object.fromEntries(times(40, (i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }])), d40: {} },
    },
    path: '$defs.d8',
  },
  { name: '100 levels', schema: nested(100, text), path: times(32, () => 'properties.a').join('.') },
  {
    name: 'a value of 100 levels',
    schema: object({ a: { const: times(100, () => 0).reduce<unknown>((value) => [value], 1) } }),
    path: 'properties.a.const',
  },
  {
    name: '501 schemas',
    schema: object(Object.fromEntries(times(500, (i) => [`p${i}`, true]))),
    path: 'properties.p499',
  },
  { name: '33 KB', schema: { description: 'x'.repeat(33 * 1024) }, path: '' },
  {
    name: '51 patterns',
    schema: { patternProperties: Object.fromEntries(times(51, (i) => [`^${i}$`, true])) },
    path: 'patternProperties.^50$',
  },
  { name: 'look-ahead', schema: pattern('(?=x)(a+)+'), path: 'properties.a.pattern' },
  { name: 'look-behind', schema: pattern('(?<!a)b'), path: 'properties.a.pattern' },
  { name: 'a back-reference', schema: pattern('(a)\\1'), path: 'properties.a.pattern' },
  { name: 'a named back-reference', schema: pattern('(?<n>a)\\k<n>'), path: 'properties.a.pattern' },
  { name: 'a pattern that is none', schema: pattern('('), path: 'properties.a.pattern' },
  { name: 'a pattern that is no text', schema: object({ a: { pattern: {} } }), path: 'properties.a.pattern' },
  { name: 'a long pattern', schema: pattern('a'.repeat(501)), path: 'properties.a.pattern' },
  { name: 'a pattern of a million repetitions', schema: pattern('((a{100}){100}){100}'), path: 'properties.a.pattern' },
  {
    name: 'a pattern that repeats a thousand times, often',
    schema: pattern('(\\pL{30}){30}'.repeat(28)),
    path: 'properties.a.pattern',
  },
  {
    name: 'a name pattern with look-ahead',
    schema: { patternProperties: { '(?!x)': {} } },
    path: 'patternProperties.(?!x)',
  },
  { name: '$data', schema: object({ a: { minimum: { $data: '1/b' } } }), path: 'properties.a.minimum' },
  { name: '$id', schema: { $id: 'http://example.com/s', type: 'object' }, path: '$id' },
  { name: '$anchor', schema: object({ a: { $anchor: 'a' } }), path: 'properties.a.$anchor' },
  { name: '$dynamicRef', schema: object({ a: { $dynamicRef: '#a' } }), path: 'properties.a.$dynamicRef' },
  { name: 'unevaluatedProperties', schema: { unevaluatedProperties: false }, path: 'unevaluatedProperties' },
  { name: 'a keyword of Ajv', schema: object({ a: { instanceof: 'Function' } }), path: 'properties.a.instanceof' },
  { name: 'nullable of OpenAPI', schema: object({ a: { nullable: true } }), path: 'properties.a.nullable' },
  { name: 'a keyword called constructor', schema: { constructor: {} }, path: 'constructor' },
  { name: 'a property called __proto__', schema: JSON.parse('{"properties": {"__proto__": {}}}'), path: 'properties' },
  { name: 'a required __proto__', schema: { required: ['__proto__'] }, path: 'required' },
  { name: 'items as a list (draft 7)', schema: object({ a: { items: [text] } }), path: 'properties.a.items' },
  { name: 'required as a boolean (draft 3)', schema: object({ a: { required: true } }), path: 'properties.a.required' },
  {
    name: 'exclusiveMinimum as a boolean (draft 4)',
    schema: object({ a: { exclusiveMinimum: true } }),
    path: 'properties.a.exclusiveMinimum',
  },
  { name: 'a negative length', schema: object({ a: { minLength: -1 } }), path: 'properties.a.minLength' },
  { name: 'multiples of 0', schema: object({ a: { multipleOf: 0 } }), path: 'properties.a.multipleOf' },
  { name: 'an enum of nothing', schema: object({ a: { enum: [] } }), path: 'properties.a.enum' },
  { name: 'allOf nothing', schema: { allOf: [] }, path: 'allOf' },
  { name: 'properties as a list', schema: { properties: [] }, path: 'properties' },
  { name: 'a schema that is a text', schema: object({ a: 'string' }), path: 'properties.a' },
  { name: 'a schema that is null', schema: object({ a: null }), path: 'properties.a' },
]

describe('the corpus of schemas', function () {
  this.timeout(30_000)
  const validation = new Validation()
  const { signal } = new AbortController()
  after(() => validation[Symbol.asyncDispose]())

  it('has at least 60', () => {
    expect(taken.length + refused.length).to.be.at.least(60)
    const names = [...taken, ...refused].map(({ name }) => name)
    expect(new Set(names)).to.have.property('size', names.length)
  })

  for (const { name, schema, fits, fails, strict = false } of taken)
    it(`takes ${name}, and holds answers to it`, async () => {
      assertSchema(schema)
      expect(await validation.problems(schema, fits, signal)).to.deep.equal([])
      expect(await validation.problems(schema, fails, signal)).not.to.deep.equal([])
      expect(isStrict(schema)).to.equal(strict)
    })

  for (const { name, schema, path } of refused)
    it(`refuses ${name}, and says where`, () => {
      const startedAt = performance.now()
      const assert = () => assertSchema(schema as GivenSchema)
      expect(assert)
        .to.throw(SchemaError)
        .with.property('path')
        .that.deep.equals(path === '' ? [] : path.split('.'))
      expect(performance.now() - startedAt).to.be.below(200)
    })

  it('takes as much as it allows, and no more', () => {
    const schemas = schemaLimits.nodes - 1
    assertSchema({ properties: Object.fromEntries(times(schemas, (i) => [`p${i}`, true])) })
    assertSchema({ patternProperties: Object.fromEntries(times(schemaLimits.patterns, (i) => [`^${i}$`, true])) })
    assertSchema(doubling(8))
    const rest = schemaLimits.bytes - JSON.stringify({ title: '' }).length
    assertSchema({ title: 'x'.repeat(rest) })
    expect(() => assertSchema({ title: 'x'.repeat(rest + 1) })).to.throw(SchemaError)
  })
})
