import { nested, object, text, times } from './accepted-schemas.fixture.ts'
import type { GivenSchema } from './schema-tree.ts'

/** A refused schema, and the path of the problem. */
type Refused = { name: string; schema: unknown; path: string }

/** References that double the expanded size at each level. */
export const doubling = (levels: number): GivenSchema => ({
  $ref: '#/$defs/d0',
  $defs: {
    ...Object.fromEntries(
      times(levels, (i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]),
    ),
    [`d${levels}`]: {},
  },
})
const zodEmoji =
  '^(?=[\\s\\S]*[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3])[\\p{Extended_Pictographic}\\p{Emoji_Component}]+$'
const pattern = (source: string): GivenSchema => object({ a: { pattern: source } })

/** Schemas that could do harm, that fit no object, or that mean something other than their author thinks. */
export const refused: Refused[] = [
  { name: 'an unknown type', schema: object({ a: { type: 'strange' } }), path: 'properties.a.type' },
  { name: 'a type twice', schema: object({ a: { type: ['null', 'null'] } }), path: 'properties.a.type' },
  { name: 'an empty list of types', schema: object({ a: { type: [] } }), path: 'properties.a.type' },
  { name: 'a list at the root', schema: { type: 'array' }, path: 'type' },
  { name: 'a string at the root, by reference', schema: { $ref: '#/$defs/a', $defs: { a: text } }, path: '' },
  { name: 'a root that is a string or a number', schema: { anyOf: [text, { type: 'number' }] }, path: '' },
  { name: 'a root that is always 7', schema: { const: 7 }, path: '' },
  { name: 'a root that is one of two strings', schema: { enum: ['a', 'b'] }, path: '' },
  { name: 'a root that nothing fits', schema: { allOf: [{ type: 'object' }, false] }, path: '' },
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
  { name: 'a $ref that is not a string', schema: object({ a: { $ref: 1 } }), path: 'properties.a.$ref' },
  { name: 'itself', schema: { $ref: '#' }, path: '' },
  {
    name: 'a circle through an alternative',
    schema: object({ a: { items: { $ref: '#/$defs/a' } } }, { $defs: { a: { anyOf: [text, { $ref: '#/$defs/a' }] } } }),
    path: '$defs.a',
  },
  {
    name: 'a bare circle that nothing refers to',
    schema: object({}, { $defs: { a: { if: { $ref: '#/$defs/a' } } } }),
    path: '$defs.a',
  },
  {
    name: 'a cycle of three',
    schema: {
      $ref: '#/$defs/a',
      $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/c' } }, c: { $ref: '#/$defs/a' } },
    },
    path: '$defs.a',
  },
  { name: 'references that double, 2^20 schemas', schema: doubling(14), path: '$defs.d3' },
  {
    name: 'deep references',
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
  { name: 'an invalid pattern', schema: pattern('('), path: 'properties.a.pattern' },
  { name: 'a pattern that is not a string', schema: object({ a: { pattern: {} } }), path: 'properties.a.pattern' },
  { name: 'a long pattern', schema: pattern('a'.repeat(1001)), path: 'properties.a.pattern' },
  { name: 'a pattern of a million repetitions', schema: pattern('((a{100}){100}){100}'), path: 'properties.a.pattern' },
  {
    name: 'a pattern that repeats a thousand times, often',
    schema: pattern('(\\pL{30}){30}'.repeat(28)),
    path: 'properties.a.pattern',
  },
  {
    name: 'ranges of a hundred thousand characters, case ignored',
    schema: pattern(`(?i)${'[B-\\u{1E900}]'.repeat(33)}`),
    path: 'properties.a.pattern',
  },
  {
    name: 'the same, in the middle of a group and with the characters themselves',
    schema: pattern(`a(?s-m:b(?mi:${'[B-\u{1E900}]'.repeat(70)}))`),
    path: 'properties.a.pattern',
  },
  {
    name: 'the same, as the complement',
    schema: pattern(`(?i:${'[^\\x{42}-\\x{1E900}]'.repeat(20)})`),
    path: 'properties.a.pattern',
  },
  {
    name: 'many classes of Unicode, case ignored, in many patterns',
    schema: { patternProperties: Object.fromEntries(times(50, (i) => [`(?i)${i}[\\p{L}\\PN\\pS]{3}\\pZ\\pM`, true])) },
    path: 'patternProperties.(?i)40[\\p{L}\\PN\\pS]{3}\\pZ\\pM',
  },
  { name: 'a pattern of 30,000 brackets', schema: pattern('['.repeat(30_000)), path: 'properties.a.pattern' },
  {
    name: 'ten thousand levels of JSON',
    schema: JSON.parse(`${'{"not":'.repeat(4500)}{}${'}'.repeat(4500)}`),
    path: '',
  },
  {
    name: 'a name pattern with look-ahead',
    schema: { patternProperties: { '(?!x)': {} } },
    path: 'patternProperties.(?!x)',
  },
  { name: '$data', schema: object({ a: { minimum: { $data: '1/b' } } }), path: 'properties.a.minimum' },
  {
    name: 'an $id of two schemas',
    schema: object({ a: { $id: 's', type: 'string' }, b: { $id: 's' }, c: { $ref: 's' } }),
    path: 'properties.c.$ref',
  },
  {
    name: 'a $ref to a name that no text may have',
    schema: object({ '\ud800': text, a: { $ref: '#/properties/\ud800' } }),
    path: 'properties.a.$ref',
  },
  { name: '$anchor', schema: object({ a: { $anchor: 'a' } }), path: 'properties.a.$anchor' },
  { name: '$dynamicRef', schema: object({ a: { $dynamicRef: '#a' } }), path: 'properties.a.$dynamicRef' },
  { name: 'a keyword of Ajv', schema: object({ a: { instanceof: 'Function' } }), path: 'properties.a.instanceof' },
  { name: 'a nullable text', schema: object({ a: { nullable: 'yes' } }), path: 'properties.a.nullable' },
  { name: 'a keyword of nobody', schema: object({ a: { fits: 1 } }), path: 'properties.a.fits' },
  { name: 'a keyword called constructor', schema: { constructor: {} }, path: 'constructor' },
  { name: 'a property called __proto__', schema: JSON.parse('{"properties": {"__proto__": {}}}'), path: 'properties' },
  { name: 'a required __proto__', schema: { required: ['__proto__'] }, path: 'required' },
  { name: 'items as a list that may go on', schema: object({ a: { items: [text] } }), path: 'properties.a.items' },
  {
    name: 'items as a list in 2020-12',
    schema: {
      ...object({ a: { items: [text], additionalItems: false } }),
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    },
    path: 'properties.a.items',
  },
  { name: 'a type of TypeBox that no JSON has', schema: object({ a: { type: 'Date' } }), path: 'properties.a.type' },
  {
    name: 'an envelope with more in it',
    schema: { name: 'x', schema: { type: 'object' }, required: [] },
    path: 'name',
  },
  {
    name: 'a list in an envelope',
    schema: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array' } } },
    path: 'json_schema.schema.type',
  },
  { name: 'a response_format without a schema', schema: { type: 'json_object' }, path: 'type' },
  {
    name: 'a pattern of Zod that is not a generator’s to the letter',
    schema: pattern('^(?=.{1,99}$)[a-z]+$'),
    path: 'properties.a.pattern',
  },
  {
    name: 'a pattern of Zod with look-ahead, of names: there is no room for its two conditions',
    schema: { patternProperties: { [zodEmoji]: {} } },
    path: `patternProperties.${zodEmoji}`,
  },
  { name: 'required as a boolean (draft 3)', schema: object({ a: { required: true } }), path: 'properties.a.required' },
  {
    name: 'exclusiveMinimum as a boolean (draft 4)',
    schema: object({ a: { exclusiveMinimum: true } }),
    path: 'properties.a.exclusiveMinimum',
  },
  { name: 'a negative length', schema: object({ a: { minLength: -1 } }), path: 'properties.a.minLength' },
  { name: 'multiples of 0', schema: object({ a: { multipleOf: 0 } }), path: 'properties.a.multipleOf' },
  { name: 'an empty enum', schema: object({ a: { enum: [] } }), path: 'properties.a.enum' },
  { name: 'allOf nothing', schema: { allOf: [] }, path: 'allOf' },
  { name: 'properties as a list', schema: { properties: [] }, path: 'properties' },
  { name: 'a schema that is a string', schema: object({ a: 'string' }), path: 'properties.a' },
  { name: 'a schema that is null', schema: object({ a: null }), path: 'properties.a' },
]
