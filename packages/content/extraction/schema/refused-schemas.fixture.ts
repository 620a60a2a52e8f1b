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
/** A wrong keyword of the property `a`. */
const property = (name: string, keyword: string, value: unknown): Refused => {
  return { name, schema: object({ a: { [keyword]: value } }), path: `properties.a.${keyword}` }
}

/** Schemas that could do harm, that fit no object, or that mean something other than their author thinks. */
export const refused: Refused[] = [
  property('an unknown type', 'type', 'strange'),
  property('a type twice', 'type', ['null', 'null']),
  property('an empty list of types', 'type', []),
  { name: 'a list at the root', schema: { type: 'array' }, path: 'type' },
  { name: 'a string at the root, by reference', schema: { $ref: '#/$defs/a', $defs: { a: text } }, path: '' },
  { name: 'a root that is a string or a number', schema: { anyOf: [text, { type: 'number' }] }, path: '' },
  { name: 'a root that is always 7', schema: { const: 7 }, path: '' },
  { name: 'a root that is one of two strings', schema: { enum: ['a', 'b'] }, path: '' },
  { name: 'a root that nothing fits', schema: { allOf: [{ type: 'object' }, false] }, path: '' },
  property('a remote $ref', '$ref', 'http://127.0.0.1/s.json'),
  property('a $ref to a file', '$ref', 'file:///etc/passwd'),
  property('a $ref to a dialect', '$ref', 'https://json-schema.org/draft/2020-12/schema'),
  property('a $ref to nothing', '$ref', '#/$defs/b'),
  {
    name: 'a $ref into a value',
    schema: object({ a: { $ref: '#/properties/b/const' }, b: { const: {} } }),
    path: 'properties.a.$ref',
  },
  property('a $ref to an anchor', '$ref', '#b'),
  property('a $ref that cannot be decoded', '$ref', '#/%zz'),
  property('a $ref to a name of Object.prototype', '$ref', '#/constructor'),
  property('a $ref that is not a string', '$ref', 1),
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
  property(
    'a value of 100 levels',
    'const',
    times(100, () => 0).reduce<unknown>((value) => [value], 1),
  ),
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
  property('look-ahead', 'pattern', '(?=x)(a+)+'),
  property('look-behind', 'pattern', '(?<!a)b'),
  property('a back-reference', 'pattern', '(a)\\1'),
  property('a named back-reference', 'pattern', '(?<n>a)\\k<n>'),
  property('an invalid pattern', 'pattern', '('),
  property('a pattern that is not a string', 'pattern', {}),
  property('a long pattern', 'pattern', 'a'.repeat(1001)),
  property('a pattern of a million repetitions', 'pattern', '((a{100}){100}){100}'),
  property('a pattern that repeats a thousand times, often', 'pattern', '(\\pL{30}){30}'.repeat(28)),
  property('ranges of a hundred thousand characters, case ignored', 'pattern', `(?i)${'[B-\\u{1E900}]'.repeat(33)}`),
  property(
    'the same, in the middle of a group and with the characters themselves',
    'pattern',
    `a(?s-m:b(?mi:${'[B-\u{1E900}]'.repeat(70)}))`,
  ),
  property('the same, as the complement', 'pattern', `(?i:${'[^\\x{42}-\\x{1E900}]'.repeat(20)})`),
  {
    name: 'many classes of Unicode, case ignored, in many patterns',
    schema: { patternProperties: Object.fromEntries(times(50, (i) => [`(?i)${i}[\\p{L}\\PN\\pS]{3}\\pZ\\pM`, true])) },
    path: 'patternProperties.(?i)40[\\p{L}\\PN\\pS]{3}\\pZ\\pM',
  },
  property('a pattern of 30,000 brackets', 'pattern', '['.repeat(30_000)),
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
  property('$data', 'minimum', { $data: '1/b' }),
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
  property('$anchor', '$anchor', 'a'),
  property('$dynamicRef', '$dynamicRef', '#a'),
  property('a keyword of Ajv', 'instanceof', 'Function'),
  property('a nullable text', 'nullable', 'yes'),
  property('a keyword of nobody', 'fits', 1),
  { name: 'a keyword called constructor', schema: { constructor: {} }, path: 'constructor' },
  { name: 'a property called __proto__', schema: JSON.parse('{"properties": {"__proto__": {}}}'), path: 'properties' },
  { name: 'a required __proto__', schema: { required: ['__proto__'] }, path: 'required' },
  property('items as a list that may go on', 'items', [text]),
  {
    name: 'items as a list in 2020-12',
    schema: {
      ...object({ a: { items: [text], additionalItems: false } }),
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    },
    path: 'properties.a.items',
  },
  property('a type of TypeBox that no JSON has', 'type', 'Date'),
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
  property('a pattern of Zod that is not a generator’s to the letter', 'pattern', '^(?=.{1,99}$)[a-z]+$'),
  {
    name: 'a pattern of Zod with look-ahead, of names: there is no room for its two conditions',
    schema: { patternProperties: { [zodEmoji]: {} } },
    path: `patternProperties.${zodEmoji}`,
  },
  property('required as a boolean (draft 3)', 'required', true),
  property('exclusiveMinimum as a boolean (draft 4)', 'exclusiveMinimum', true),
  property('a negative length', 'minLength', -1),
  property('multiples of 0', 'multipleOf', 0),
  property('an empty enum', 'enum', []),
  { name: 'allOf nothing', schema: { allOf: [] }, path: 'allOf' },
  { name: 'properties as a list', schema: { properties: [] }, path: 'properties' },
  { name: 'a schema that is a string', schema: object({ a: 'string' }), path: 'properties.a' },
  { name: 'a schema that is null', schema: object({ a: null }), path: 'properties.a' },
]
