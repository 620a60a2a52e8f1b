import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { compile } from 'json-schema-to-typescript'
import { parse } from 'yaml'

type Schema = Record<string, unknown> & { $id: string; title: string }

/** A code in a schema that explains its codes. An error's code has an `x-status`, which the program reads. */
type Code = { const: string; description: string; 'x-charged'?: string; 'x-advice': string }

/** Schemas of bodies that callers send. Each gets a validator. */
const requests = [
  'TranscriptRequest',
  'ExtractRequest',
  'NewKeyRequest',
  'NewWebhookRequest',
  'NewBatchRequest',
  'NewWatchRequest',
  'WatchChanges',
  'WebhookChanges',
  'ReplayRequest',
]

async function schemasIn(folder: string): Promise<Schema[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort()
  const schemas = files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Schema)
  return (await Promise.all(schemas)).map(withEnum)
}

/**
 * Turns a list of explained codes into an enum, because client generators make one type of it. Leaves other schemas
 * unchanged.
 */
function withEnum(schema: Schema): Schema {
  if (!('oneOf' in schema)) return schema
  const { oneOf, ...rest } = schema
  const codes = oneOf as Code[]
  const textsOf = (key: 'description' | 'x-charged' | 'x-advice') =>
    Object.fromEntries(codes.flatMap((code) => (code[key] === undefined ? [] : [[code.const, code[key]]])))
  return {
    ...rest,
    enum: codes.map((code) => code.const),
    'x-enumDescriptions': textsOf('description'),
    'x-enumCharged': textsOf('x-charged'),
    'x-enumAdvice': textsOf('x-advice'),
  }
}

/** Embeds the schemas in one document: references to files become references inside it. */
function embedded(schemas: readonly Schema[], place: string): Record<string, unknown> {
  const text = JSON.stringify(Object.fromEntries(schemas.map((schema) => [schema.title, schema])))
  const parts = JSON.parse(text.replaceAll(/"\$ref":"(\w+)\.json"/g, `"$ref":"#/${place}/$1"`)) as Record<
    string,
    Schema
  >
  return Object.fromEntries(Object.entries(parts).map(([name, { $id, $schema, title, ...part }]) => [name, part]))
}

/** The comments in which the compiler names the document that wraps the schemas. */
const aboutTheDocument =
  /( \*\n)? \* This interface was referenced by `HttpContract`.*\n \* via the `definition` "\w+"\.\n/g

async function typesOf(schemas: readonly Schema[], banner: string): Promise<string> {
  const definitions = embedded(schemas, 'definitions')
  const document = { title: 'HttpContract', type: 'object', additionalProperties: false, definitions }
  const options = { bannerComment: '', additionalProperties: false, unreachableDefinitions: true }
  const types = await compile(document as object, 'HttpContract', options)
  return banner + types.replace('export interface HttpContract {}\n', '').replaceAll(aboutTheDocument, '')
}

function validatorsOf(schemas: readonly Schema[], banner: string): string {
  // Formats are for readers of the document. The code that reads a field checks it.
  const formats = { 'date-time': true } as const
  const ajv = new Ajv2020({ code: { source: true }, strict: true, allErrors: true, formats, schemas: [...schemas] })
  return `${banner}${standalone.default(ajv, Object.fromEntries(requests.map((name) => [name, `http/${name}.json`])))}\n`
}

/** The files that `npm run contracts` generates from contracts/http, by name. */
export async function httpOutputs(folder: string, banner: string): Promise<Record<string, string>> {
  const schemas = await schemasIn(join(folder, 'schemas'))
  const document = parse(await readFile(join(folder, 'openapi.yaml'), 'utf8'), { merge: true, maxAliasCount: -1 })
  document.components = { ...document.components, schemas: embedded(schemas, 'components/schemas') }
  const sent = schemas.filter(({ title }) => requests.includes(title))
  return {
    'generated/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'generated/http.ts': await typesOf(schemas, banner),
    'generated/http-validators.cjs': validatorsOf(sent, banner),
  }
}
