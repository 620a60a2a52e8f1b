/**
 * Prints, as JSON, the schemas that Zod 3 and 4, TypeBox, Valibot and OpenAI's helper write. Each is of an object with
 * one property, with a value that the library accepts and one that it refuses. It stops if a library accepts or refuses
 * the wrong value. It runs outside of the project (`npm run test:clients`).
 */
import { Type as OldType } from '@sinclair/typebox'
import { Value as OldValue } from '@sinclair/typebox/value'
import { toJsonSchema } from '@valibot/to-json-schema'
import { zodResponseFormat } from 'openai/helpers/zod'
import Type from 'typebox'
import Value from 'typebox/value'
import * as v from 'valibot'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { zodToJsonSchema } from 'zod-to-json-schema'

/** Properties by name: a type of the library, a value that fits, one that does not. */
type Fields<T> = Record<string, [type: T, fits: unknown, fails: unknown]>
type Library<T> = {
  by: string
  fields: Fields<T>
  write(type: T): [schema: unknown, takes: (value: unknown) => boolean]
}

const same = { a: 'x', b: 1 }
const uuid = 'c0ffee00-0000-4000-8000-000000000000'
const person = { name: 'a', kids: [{ name: 'b', kids: [] }] }
const notPerson = { name: 'a', kids: [{ name: 'b' }] }
const noText = { 'not a text': 1 }

const Person4 = z.object({
  name: z.string(),
  get kids() {
    return z.array(Person4)
  },
})
const zod4Fields: Fields<z.ZodType> = {
  email: [z.email(), 'a.b@example.com', 'a..b@example.com'],
  uuid: [z.uuid(), uuid, 'c0ffee'],
  guid: [z.guid(), uuid, 1],
  url: [z.url(), 'https://example.com/', 'nowhere'],
  emoji: [z.emoji(), '👩🏽‍🚀', '12'],
  nanoid: [z.nanoid(), 'V1StGXR8_Z5jdHi6B-myT', 'x'],
  cuid: [z.cuid(), 'cjld2cjxh0000qzrmn831i7rn', '-'],
  cuid2: [z.cuid2(), 'tz4a98xxat96iws9zmbrgj3a', 'A'],
  ulid: [z.ulid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x'],
  xid: [z.xid(), '9m4e2mr0ui3e8a215n4g', 'x'],
  ksuid: [z.ksuid(), '0ujtsYcgvSTl8PAuAdqWYSMnLOv', '-'],
  ipv4: [z.ipv4(), '192.0.2.1', '192.0.2'],
  ipv6: [z.ipv6(), '2001:db8::1', 'x'],
  mac: [z.mac(), '00:1A:2B:3C:4D:5E', 'x'],
  cidrv4: [z.cidrv4(), '192.0.2.0/24', '192.0.2.0/33'],
  cidrv6: [z.cidrv6(), '2001:db8::/32', '2001:db8::/129'],
  base64: [z.base64(), 'aGk=', '?'],
  base64url: [z.base64url(), 'aGk', '?'],
  e164: [z.e164(), '+4930123456', '030'],
  hostname: [z.hostname(), 'a.example.com', '-.com'],
  'hash of a file': [z.hash('sha256'), 'a'.repeat(64), 'a'],
  date: [z.iso.date(), '2024-02-29', '2025-02-29'],
  time: [z.iso.time(), '12:30:00', '25:00:00'],
  'date-time': [z.iso.datetime(), '2026-11-26T12:00:00Z', '2026-11-26'],
  'date-time with an offset': [z.iso.datetime({ offset: true }), '2026-11-26T12:00:00+02:00', 'x'],
  'local date-time': [z.iso.datetime({ local: true }), '2026-11-26T12:00:00', 'x'],
  duration: [z.iso.duration(), 'P1DT2H', 'P'],
  'part of a second': [z.iso.duration(), 'PT1.5S', 'PT'],
  lowercase: [z.string().lowercase(), 'a', 'A'],
  includes: [z.string().includes('a.b'), 'xa.bx', 'axb'],
  'starts with': [z.string().startsWith('a('), 'a(b', 'b'],
  'ends with': [z.string().endsWith('x)'), 'ax)', 'a'],
  'two patterns': [z.string().regex(/a/).regex(/b/), 'ab', 'a'],
  template: [z.templateLiteral(['v', z.number(), '-', z.enum(['a', 'b'])]), 'v1.5-a', 'v-a'],
  integer: [z.int(), 1, 1.5],
  cents: [z.number().multipleOf(0.01), 19.99, 19.995],
  'bounds of a number': [z.number().gt(1).lt(5), 4.9, 5],
  'length of a text': [z.string().min(1).max(2), '😀', 'abc'],
  list: [z.array(z.string()).min(1).max(2), ['a'], []],
  tuple: [z.tuple([z.string(), z.number()]), ['a', 1], ['a', 'b']],
  'tuple that goes on': [z.tuple([z.string()], z.number()), ['a', 1, 2], ['a', 'b']],
  record: [z.record(z.string(), z.number()), { a: 1 }, { a: 'x' }],
  'record of an enum': [z.record(z.enum(['a', 'b']), z.number()), { a: 1, b: 2 }, { a: 1, c: 2 }],
  'partial record': [z.partialRecord(z.enum(['a', 'b']), z.number()), { a: 1 }, { c: 1 }],
  'discriminated union': [
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.strictObject({ k: z.literal('b'), n: z.number() })]),
    { k: 'b', n: 1 },
    { k: 'b' },
  ],
  intersection: [z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })), same, { a: 'x' }],
  nullable: [z.string().nullable(), null, 1],
  'nullable enum': [z.enum(['a']).nullable(), null, 'b'],
  literals: [z.literal(['a', 1, null]), null, 'b'],
  'loose object': [z.looseObject({ a: z.string() }), { a: 'x', b: 1 }, { b: 1 }],
  catchall: [z.object({ a: z.string() }).catchall(z.number()), same, { a: 'x', b: 'y' }],
  described: [z.string().meta({ id: 'Word', title: 'T', examples: ['x'], deprecated: true }), 'x', 1],
  recursive: [Person4, person, notPerson],
}
/** OpenAPI 3.0 has no tuples and no names of properties, so Zod writes less there than it means. */
const { tuple, 'tuple that goes on': rest, 'partial record': partial, ...inOpenApi } = zod4Fields
const inZod4 = (target: 'draft-2020-12' | 'draft-7' | 'draft-4' | 'openapi-3.0', by: string): Library<z.ZodType> => ({
  by,
  fields: target === 'openapi-3.0' ? inOpenApi : zod4Fields,
  write(type) {
    const whole = z.object({ value: type })
    return [z.toJSONSchema(whole, { target }), (value) => whole.safeParse(value).success]
  },
})

const Person3: z3.ZodType = z3.object({ name: z3.string(), kids: z3.lazy(() => Person3.array()) })
const address3 = z3.object({ street: z3.string() })
const zod3Fields: Fields<z3.ZodType> = {
  email: [z3.string().email(), 'a@example.com', 'a'],
  url: [z3.string().url(), 'https://example.com/', 'nowhere'],
  uuid: [z3.string().uuid(), uuid, 'x'],
  emoji: [z3.string().emoji(), '😀', 'x'],
  nanoid: [z3.string().nanoid(), 'V1StGXR8_Z5jdHi6B-myT', 'x'],
  cuid: [z3.string().cuid(), 'cjld2cjxh0000qzrmn831i7rn', 'x'],
  ulid: [z3.string().ulid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x'],
  'date-time': [z3.string().datetime(), '2026-11-26T12:00:00Z', 'x'],
  date: [z3.string().date(), '2026-11-26', '2026-13-26'],
  time: [z3.string().time(), '12:30:00', 'noon'],
  duration: [z3.string().duration(), 'P1D', 'a day'],
  ip: [z3.string().ip(), '2001:db8::1', 'x'],
  cidr: [z3.string().cidr({ version: 'v4' }), '192.0.2.0/24', 'x'],
  base64: [z3.string().base64(), 'aGk=', 1],
  base64url: [z3.string().base64url(), 'aGk', '?'],
  includes: [z3.string().includes('a.b'), 'a.b', 'axb'],
  cents: [z3.number().multipleOf(0.01).gt(0), 143.48, 143.485],
  integer: [z3.number().int().min(1), 1, 1.5],
  tuple: [z3.tuple([z3.string(), z3.number()]), ['a', 1], ['a', 'b']],
  'tuple that goes on': [z3.tuple([z3.string()]).rest(z3.number()), ['a', 1], ['a', 'b']],
  record: [z3.record(z3.string().min(1), z3.number()), { a: 1 }, { a: 'x' }],
  union: [z3.union([z3.string(), z3.number()]), 1, true],
  'discriminated union': [
    z3.discriminatedUnion('k', [z3.object({ k: z3.literal('a') }), z3.object({ k: z3.literal('b'), n: z3.number() })]),
    { k: 'b', n: 1 },
    { k: 'b' },
  ],
  intersection: [z3.intersection(z3.object({ a: z3.string() }), z3.object({ b: z3.number() })), same, { a: 'x' }],
  nullable: [z3.string().nullable(), null, 1],
  'nullable object': [address3.nullable(), null, {}],
  'nullable enum': [z3.enum(['a']).nullable(), null, 'b'],
  'nullable union': [z3.union([z3.string(), z3.number()]).nullable(), null, true],
  'native enum': [z3.nativeEnum({ A: 1, B: 'x' }), 'x', 'y'],
  strict: [address3.strict(), { street: 'a' }, { street: 'a', b: 1 }],
  'the same object in several places': [
    z3.object({ a: address3, b: z3.tuple([address3, address3.nullable()]) }),
    { a: { street: 'a' }, b: [{ street: 'b' }, null] },
    { a: { street: 'a' }, b: [{}, null] },
  ],
  recursive: [Person3, person, notPerson],
}
const inZod3 = (target: 'jsonSchema7' | 'jsonSchema2019-09' | 'openApi3', by: string): Library<z3.ZodType> => ({
  by,
  fields: zod3Fields,
  write(type) {
    const whole = z3.object({ value: type })
    return [zodToJsonSchema(whole, { target }), (value) => whole.safeParse(value).success]
  },
})

// biome-ignore lint/suspicious/noExplicitAny: the two versions of TypeBox have types of their own
type Loose = any

/** The properties that both versions of TypeBox can express. */
const typeBoxFields = (T: Loose): Fields<Loose> => {
  const [a, b] = [T.Object({ a: T.String() }), T.Object({ b: T.Number() })]
  return {
    tuple: [T.Tuple([T.String(), T.Number()]), ['a', 1], ['a', 1, 2]],
    'empty tuple': [T.Tuple([]), [], [1]],
    record: [T.Record(T.String(), T.Number()), { a: 1 }, { a: 'x' }],
    'record of literals': [T.Record(T.Union([T.Literal('a'), T.Literal('b')]), T.Number()), { a: 1, b: 2 }, { a: 1 }],
    union: [T.Union([T.Literal('a'), T.Literal(5)]), 5, 6],
    intersection: [T.Intersect([a, b]), same, { a: 'x' }],
    'closed intersection': [T.Intersect([a, b], { unevaluatedProperties: false }), same, { ...same, c: 1 }],
    template: [T.TemplateLiteral(`v\${0|1}-\${string}`), 'v1-x', 'v2-x'],
    optional: [T.Object({ a: T.Optional(T.String()) }, { additionalProperties: false }), {}, { b: 1 }],
    integer: [T.Integer({ multipleOf: 3 }), 9, 10],
    number: [T.Number({ multipleOf: 0.5, exclusiveMinimum: 0 }), 1.5, 0],
    list: [T.Array(T.String(), { minItems: 1, uniqueItems: true }), ['a'], ['a', 'a']],
    contains: [T.Array(T.String(), { contains: T.Literal('x') }), ['x'], ['y']],
    text: [T.String({ pattern: '^a', minLength: 2, examples: ['ab'], 'x-order': 1 }), 'ab', 'b'],
    partial: [T.Partial(a), {}, { a: 1 }],
    'key of': [T.KeyOf(T.Object({ a: T.String(), b: T.String() })), 'b', 'c'],
    null: [T.Null(), null, 0],
    not: [T.Not ? T.Not(T.String()) : T.Number(), 1, 'x'],
  }
}
const Tree = OldType.Recursive((This) => OldType.Object({ name: OldType.String(), kids: OldType.Array(This) }))
const module = OldType.Module({
  A: OldType.Object({ b: OldType.Optional(OldType.Ref('B')) }),
  B: OldType.Object({ a: OldType.Array(OldType.Ref('A')) }),
})
const typeBox = (
  by: string,
  T: Loose,
  check: (type: Loose, value: unknown) => boolean,
  more: Fields<Loose>,
): Library<Loose> => ({
  by,
  fields: { ...typeBoxFields(T), ...more },
  write(type) {
    const whole = T.Object({ value: type })
    return [whole, (value) => check(whole, value)]
  },
})

const Person5: v.GenericSchema = v.object({ name: v.string(), kids: v.lazy(() => v.array(Person5)) })
const valibotFields: Fields<v.GenericSchema> = {
  tuple: [v.tuple([v.string(), v.number()]), ['a', 1], ['a', 'b']],
  'strict tuple': [v.strictTuple([v.string()]), ['a'], ['a', 1]],
  'tuple that goes on': [v.tupleWithRest([v.string()], v.number()), ['a', 1], ['a', 'b']],
  record: [v.record(v.string(), v.number()), { a: 1 }, { a: 'x' }],
  'record by pattern': [v.record(v.pipe(v.string(), v.regex(/^a/)), v.number()), { ab: 1 }, { b: 1 }],
  picklist: [v.picklist(['a', 1]), 1, 2],
  'strict object': [v.strictObject({ a: v.optional(v.string(), 'x') }), {}, { b: 1 }],
  'object with rest': [v.objectWithRest({ a: v.string() }, v.number()), same, { a: 'x', b: 'y' }],
  nullable: [v.nullable(v.string()), null, 1],
  variant: [
    v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b'), n: v.number() })]),
    { k: 'b', n: 1 },
    { k: 'b' },
  ],
  intersection: [v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })]), same, { a: 'x' }],
  described: [v.pipe(v.string(), v.title('t'), v.description('d'), v.metadata({ examples: ['x'] })), 'x', 1],
  list: [v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(2)), ['a'], []],
  number: [v.pipe(v.number(), v.multipleOf(0.5), v.minValue(0)), 1.5, 1.3],
  integer: [v.pipe(v.number(), v.integer()), 1, 1.5],
  base64: [v.pipe(v.string(), v.base64()), 'aGk=', noText],
  bic: [v.pipe(v.string(), v.bic()), 'DEUTDEFF', 'DEUTDE00'],
  cuid2: [v.pipe(v.string(), v.cuid2()), 'tz4a98xxat96iws9zmbrgj3a', '-'],
  decimal: [v.pipe(v.string(), v.decimal()), '1.5', 'x'],
  digits: [v.pipe(v.string(), v.digits()), '15', 'x'],
  domain: [v.pipe(v.string(), v.domain()), 'example.com', 'xn--e.com'],
  email: [v.pipe(v.string(), v.email()), 'a@example.com', 'a'],
  emoji: [v.pipe(v.string(), v.emoji()), '👩🏽‍🚀🇩🇪', 'x'],
  hexadecimal: [v.pipe(v.string(), v.hexadecimal()), '0xff', 'x'],
  hexColor: [v.pipe(v.string(), v.hexColor()), '#fff', '#ff'],
  ipv4: [v.pipe(v.string(), v.ipv4()), '192.0.2.1', 'x'],
  ipv6: [v.pipe(v.string(), v.ipv6()), '2001:db8::1', 'x'],
  isoDate: [v.pipe(v.string(), v.isoDate()), '2026-11-26', 'x'],
  isoTime: [v.pipe(v.string(), v.isoTime()), '12:30', 'x'],
  isoTimeSecond: [v.pipe(v.string(), v.isoTimeSecond()), '12:30:00', 'x'],
  isoTimestamp: [v.pipe(v.string(), v.isoTimestamp()), '2026-11-26T12:00:00.000Z', 'x'],
  isoWeek: [v.pipe(v.string(), v.isoWeek()), '2026-W48', 'x'],
  mac: [v.pipe(v.string(), v.mac()), '00:1A:2B:3C:4D:5E', 'x'],
  slug: [v.pipe(v.string(), v.slug()), 'a-b', '-'],
  ulid: [v.pipe(v.string(), v.ulid()), '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x'],
  url: [v.pipe(v.string(), v.url()), 'https://example.com/', noText],
  uuid: [v.pipe(v.string(), v.uuid()), uuid, 'x'],
  recursive: [Person5, person, notPerson],
}
const inValibot = (target: 'draft-07' | 'draft-2020-12', by: string): Library<v.GenericSchema> => ({
  by,
  fields: valibotFields,
  write(type) {
    const whole = v.object({ value: type })
    return [toJsonSchema(whole, { target }), (value) => v.safeParse(whole, value).success]
  },
})

const openAiFields: Fields<z.ZodType> = {
  texts: [z.array(z.string()), ['a'], [1]],
  nullable: [z.string().nullable(), null, 1],
  union: [z.union([z.string(), z.number()]), 1, true],
  email: [z.email(), 'a@example.com', 'a'],
  recursive: [Person4, person, notPerson],
}
const openAi: Library<z.ZodType> = {
  by: "OpenAI's zodResponseFormat",
  fields: openAiFields,
  write(type) {
    const whole = z.object({ value: type })
    return [zodResponseFormat(whole, 'answer'), (value) => whole.safeParse(value).success]
  },
}

function casesOf<T>({ by, fields, write }: Library<T>) {
  const cases = Object.entries(fields).map(([name, [type, fits, fails]]) => {
    const [schema, takes] = write(type)
    const [good, bad] = [{ value: fits }, { value: fails }]
    if (!takes(good) || takes(bad)) throw new Error(`${by}, ${name}: it takes and refuses other values`)
    return { name, schema, fits: good, fails: bad }
  })
  return { by, cases }
}

const libraries = [
  inZod4('draft-2020-12', 'Zod 4'),
  inZod4('draft-7', 'Zod 4 as draft 7'),
  inZod4('openapi-3.0', 'Zod 4 as OpenAPI 3.0'),
  inZod3('jsonSchema7', 'Zod 3'),
  inZod3('jsonSchema2019-09', 'Zod 3 as 2019-09'),
  inZod3('openApi3', 'Zod 3 as OpenAPI 3.0'),
  typeBox('TypeBox 0.34', OldType, OldValue.Check, {
    recursive: [Tree, person, notPerson],
    module: [module.Import('A'), { b: { a: [{}] } }, { b: {} }],
  }),
  typeBox('TypeBox 1', Type, Value.Check, {}),
  inValibot('draft-07', 'Valibot'),
  inValibot('draft-2020-12', 'Valibot as 2020-12'),
  openAi,
] as Library<unknown>[]
console.log(JSON.stringify(libraries.map(casesOf)))
