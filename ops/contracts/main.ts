/**
 * `npm run contracts`: writes contracts/generated and contracts/lock.json from the schemas in contracts/. A schema file
 * in the lock may not change: a change is a new version in a new file. `npm run contracts -- --check` writes nothing,
 * and exits 1 if the files on disk differ.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { compile } from 'json-schema-to-typescript'
import { httpOutputs } from './http.ts'

type Schema = { $id: string; title: string; description: string }
type Source = { file: string; name: string; version: number; text: string; schema: Schema }

const root = fileURLToPath(new URL('../../contracts/', import.meta.url))

async function sourcesIn(folder: string): Promise<Source[]> {
  const files = (await readdir(join(root, folder))).filter((file) => /\.v\d+\.json$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, folder, file), 'utf8')
      const [, name, version] = /^(.+)\.v(\d+)\.json$/.exec(file) ?? []
      return {
        file: `${folder}/${file}`,
        name: name as string,
        version: Number(version),
        text,
        schema: JSON.parse(text) as Schema,
      }
    }),
  )
}

function newestOf(sources: Source[]): Source[] {
  const newest = new Map<string, Source>()
  for (const one of sources) if (one.version > (newest.get(one.name)?.version ?? 0)) newest.set(one.name, one)
  return [...newest.values()]
}

const typesOf = async (sources: Source[]) => {
  const options = { bannerComment: '', additionalProperties: false }
  const types = await Promise.all(sources.map(({ schema }) => compile(schema as object, schema.title, options)))
  return types.join('\n')
}

const banner = '// Written by `npm run contracts` from the schemas in contracts/. Do not edit.\n'

function eventTable(events: Source[]): string {
  const rows = newestOf(events)
  return [
    '/** The newest version of every event: what deciders, projections and processors see. */',
    `export interface EventData {\n${rows.map((e) => `  ${e.name}: ${e.schema.title}`).join('\n')}\n}`,
    'export type EventType = keyof EventData',
    `export const newestVersion: Record<EventType, number> = {\n${rows.map((e) => `  ${e.name}: ${e.version},`).join('\n')}\n}\n`,
  ].join('\n')
}

function validatorsOf(sources: Source[]): string {
  const ajv = new Ajv2020({
    code: { source: true },
    strict: true,
    allowUnionTypes: true,
    schemas: sources.map((s) => s.schema),
  })
  const names = Object.fromEntries(sources.map((s) => [s.file, s.schema.$id]))
  return `${banner}${standalone.default(ajv, names)}\n`
}

async function lockOf(sources: Source[]): Promise<string> {
  const path = join(root, 'lock.json')
  const known = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Record<string, string>
  for (const { file, text } of sources) {
    const hash = createHash('sha256').update(text).digest('hex')
    if (known[file] !== undefined && known[file] !== hash)
      throw new Error(`${file} has changed, but a released schema never does: add the next version beside it`)
    known[file] = hash
  }
  return `${JSON.stringify(Object.fromEntries(Object.entries(known).sort()), null, 2)}\n`
}

const events = (await sourcesIn('events')).filter(({ name }) => name !== 'metadata')
const others = [...(await sourcesIn('events')).filter(({ name }) => name === 'metadata'), ...(await sourcesIn('tasks'))]
const all = [...events, ...others]
const outputs: Record<string, string> = {
  'generated/events.ts': banner + (await typesOf(events)) + eventTable(events),
  'generated/messages.ts': banner + (await typesOf(newestOf(others))),
  'generated/validators.cjs': validatorsOf(all),
  'lock.json': await lockOf(all),
  ...(await httpOutputs(join(root, 'http'), banner)),
}

await mkdir(join(root, 'generated'), { recursive: true })
for (const [file, text] of Object.entries(outputs)) {
  const path = join(root, file)
  if (!process.argv.includes('--check')) await writeFile(path, text)
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`contracts/${file} is not what the schemas say: run \`npm run contracts\``)
    process.exitCode = 1
  }
}
