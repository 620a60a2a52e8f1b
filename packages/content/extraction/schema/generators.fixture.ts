import { closed, object, property, type Taken, text } from './accepted-schemas.fixture.ts'

const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' }
const list = (items: unknown): object => ({ type: 'array', items })
const cents = { type: 'number', multipleOf: 0.01 }
const decimal = '^(?!^[-+.]*$)[+-]?0*'

/** Schemas that generators write, and those that their users reported as refused or misread. */
export const generated: Taken[] = [
  // ajv-validator/ajv#1005, #928, #2416: 19.99 / 0.01 is not a whole number in floating point
  property('cents', cents, 19.99, 19.995),
  property('more cents', list(cents), [143.48, 1234567.89, -0.07, 0], [143.485]),
  property('steps that are written with an exponent', { multipleOf: 1e-7 }, 1e21, 1.5e-7),
  // pydantic#6056, openai-python PR 2987: an annotation of OpenAPI
  {
    name: 'a union with a discriminator, by Pydantic',
    schema: {
      ...object({
        pet: {
          discriminator: { mapping: { cat: '#/$defs/Cat', dog: '#/$defs/Dog' }, propertyName: 'kind' },
          oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
        },
      }),
      $defs: {
        Cat: object({ kind: { const: 'cat' }, lives: { type: 'integer' } }, { required: ['kind', 'lives'] }),
        Dog: object({ kind: { const: 'dog' } }, { required: ['kind'] }),
      },
    },
    fits: { pet: { kind: 'cat', lives: 9 } },
    fails: { pet: { kind: 'cat' } },
  },
  // pydantic#13017, #13630: Decimal in 2.12 and 2.13
  property(
    'a Decimal of Pydantic',
    { anyOf: [{ type: 'number' }, { type: 'string', pattern: `${decimal}\\d*\\.?\\d*$` }] },
    '12.50',
    'a',
  ),
  {
    name: 'a Decimal with limits of digits and places',
    schema: object({
      a: { type: 'string', pattern: `${decimal}(?:\\d{0,3}|(?=[\\d.]{1,6}0*$)\\d{0,3}\\.\\d{0,2}0*$)` },
    }),
    fits: { a: '-0123.4500' },
    fails: { a: '1234.5' },
  },
  // zod-to-json-schema: its default is draft 7
  {
    name: 'a tuple of Zod 3',
    schema: { ...draft7, ...closed({ t: { ...list([text, { type: 'number' }]), minItems: 2, maxItems: 2 } }) },
    fits: { t: ['a', 1] },
    fails: { t: ['a', 'b'] },
  },
  {
    name: 'a tuple that goes on, by Valibot',
    schema: { ...draft7, ...object({ t: { ...list([text]), additionalItems: { type: 'number' }, minItems: 1 } }) },
    fits: { t: ['a', 1, 2] },
    fails: { t: ['a', 'b'] },
  },
  {
    name: 'tuples of TypeBox, which has no $schema',
    schema: object({
      none: { type: 'array', additionalItems: false, items: [], minItems: 0 },
      two: { ...list([text, text]), additionalItems: false, minItems: 2, maxItems: 2 },
    }),
    fits: { none: [], two: ['a', 'b'] },
    fails: { two: ['a', 'b', 'c'] },
  },
  {
    name: 'a reference into a tuple, as zod-to-json-schema writes it',
    schema: {
      ...draft7,
      ...object({ t: list([text, closed({ n: { type: 'number' } })]), again: { $ref: '#/properties/t/items/1' } }),
    },
    fits: { again: { n: 1 } },
    fails: { again: { n: 'x' } },
  },
  // json-schema.org, its first example
  {
    name: 'an $id of the root, which nothing is fetched from',
    schema: {
      $id: 'https://example.com/product.json',
      ...object({ a: { $ref: 'https://example.com/product.json#/$defs/a' } }),
      $defs: { a: text },
    },
    fits: { a: 'x' },
    fails: { a: 1 },
  },
  // Gemini: propertyOrdering, types in capitals, counts as texts, nullable
  {
    name: 'a schema by the helpers of Gemini',
    schema: {
      type: 'OBJECT',
      properties: {
        a: { type: 'ARRAY', minItems: '1', items: { type: 'STRING', format: 'enum', enum: ['x'], nullable: true } },
      },
      required: ['a'],
      propertyOrdering: ['a'],
    },
    fits: { a: ['x', null] },
    fails: { a: [] },
  },
  {
    name: 'nullable beside what would refuse null',
    schema: {
      ...object({
        a: { $ref: '#/$defs/n', nullable: true },
        b: { allOf: [{ $ref: '#/properties/a' }], nullable: true },
        c: { $ref: '#/properties/b/allOf/0' },
      }),
      $defs: { n: { type: 'integer' } },
    },
    fits: { a: null, b: null, c: null },
    fails: { a: 'x' },
  },
  property(
    'bounds of draft 4, as the target openApi3 of Zod writes them',
    { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    9,
    1,
  ),
  // ollama#7993: chapters with chapters
  {
    name: 'a list of its own kind, by Pydantic',
    schema: {
      $ref: '#/$defs/Chapter',
      $defs: { Chapter: object({ title: text, children: list({ $ref: '#/$defs/Chapter' }) }, { required: ['title'] }) },
    },
    fits: { title: 'a', children: [{ title: 'b', children: [] }] },
    fails: { title: 'a', children: [{ children: [] }] },
  },
  {
    name: 'the root in itself, by Zod',
    schema: closed({ name: text, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    fits: { name: 'a', next: { name: 'b', next: null } },
    fails: { name: 'a', next: { name: 'b' } },
    strict: true,
  },
  {
    name: 'names of schemas by TypeBox, each with an $id',
    schema: {
      $defs: {
        A: { $id: 'A', ...object({ b: { $ref: 'B' } }, { required: ['b'] }) },
        B: { $id: 'B', ...object({ a: list({ $ref: 'A' }) }) },
      },
      $ref: 'A',
    },
    fits: { b: { a: [{ b: {} }] } },
    fails: { b: { a: [{}] } },
  },
  {
    name: 'the same recursive schema in two places, by TypeBox',
    schema: object({
      a: { $id: 'T0', ...object({ kids: list({ $ref: 'T0' }) }, { required: ['kids'] }) },
      b: { $id: 'T0', ...object({ kids: list({ $ref: 'T0' }) }, { required: ['kids'] }) },
    }),
    fits: { b: { kids: [{ kids: [] }] } },
    fails: { b: { kids: [{}] } },
  },
  {
    name: 'an intersection that is closed, by TypeBox and Zod 3',
    schema: { allOf: [object({ a: text }), object({ b: text })], unevaluatedProperties: false },
    fits: { a: 'x', b: 'y' },
    fails: { a: 'x', c: 'y' },
  },
  {
    name: 'annotations of every generator',
    schema: closed({
      a: { type: 'string', contentEncoding: 'base64', example: 'x', id: 'Foo', deprecated: true, 'x-order': 1 },
      b: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { $ref: 'http://a/' },
        writeOnly: true,
      },
    }),
    fits: { a: 'x', b: '{}' },
    fails: { a: 1, b: '{}' },
  },
  {
    name: 'a whole response_format of OpenAI',
    schema: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: closed({ a: text }) } },
    fits: { a: 'x' },
    fails: { a: 1 },
    strict: true,
  },
  {
    name: 'what OpenAI has in a response_format',
    schema: {
      name: 'answer',
      description: 'x',
      strict: true,
      schema: closed({ a: { $ref: '#/properties/b' }, b: text }),
    },
    fits: { a: 'x', b: 'x' },
    fails: { a: 'x' },
    strict: true,
  },
  {
    name: 'properties with the names of an envelope',
    schema: object({ name: text, schema: text, strict: { type: 'boolean' } }, { required: ['schema'] }),
    fits: { schema: 'x' },
    fails: { name: 'x' },
  },
  {
    name: 'times of day and parts of a second, as Pydantic and Zod 3 mean them',
    schema: object({ t: { format: 'time' }, d: { format: 'duration' } }),
    fits: { t: '12:30:00', d: 'PT1.5S' },
    fails: { t: '25:00:00' },
  },
]
