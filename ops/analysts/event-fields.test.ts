import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { newestVersion } from '#contracts/generated/events.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { columnsOfFields, contentColumns, isPlace, type Place, type Places, placesOf } from './event-fields.ts'
import { archiveOf, askedTables } from './tables.harness.ts'

type Schema = { properties?: Record<string, Schema>; items?: Schema }

const schemaOf = (type: string, version: number): Schema =>
  JSON.parse(readFileSync(new URL(`../../contracts/events/${type}.v${version}.json`, import.meta.url), 'utf8'))

/** Fields of a schema that have neither a column nor a reason to be left out; and placed fields that no schema has. */
function unplaced(schema: Schema, place: Place | Places | readonly [Places] | undefined, path: string): string[] {
  if (place === undefined) return [path]
  if (isPlace(place)) return []
  const inner = Array.isArray(place) ? schema.items : schema
  const places = (Array.isArray(place) ? place[0] : place) as Places
  const properties = inner?.properties ?? {}
  return [
    ...Object.keys(places).flatMap((name) => (Object.hasOwn(properties, name) ? [] : [`${path}/${name} is no field`])),
    ...Object.entries(properties).flatMap(([name, of]) => unplaced(of, places[name], `${path}/${name}`)),
  ]
}

/** Names of fields that feed columns but are not mentioned in the SQL. */
function unread(place: Place | Places | readonly [Places], name: string, sql: string): string[] {
  if (isPlace(place)) {
    const isRead = (typeof place !== 'string' && 'leftOut' in place) || new RegExp(`["'.]${name}["']`).test(sql)
    return isRead ? [] : [name]
  }
  const places = (Array.isArray(place) ? place[0] : place) as Places
  return Object.entries(places).flatMap(([inner, of]) => unread(of, inner, sql))
}

const kept = readHistories().flatMap(({ events }) => events.filter(({ type }) => type !== 'StreamsRemoved'))

describe('the fields of events', () => {
  it('each have a column, or a reason to be left out', () => {
    const found = Object.entries(newestVersion).flatMap(([type, version]) =>
      unplaced(schemaOf(type, version), placesOf[type as keyof typeof placesOf], type),
    )
    expect(found).to.deep.equal([])
  })

  it('are noticed when they are new', () => {
    const schema = { properties: { url: {}, list: { items: { properties: { name: {} } } } } }
    expect(unplaced(schema, { list: [{ old: 'jobs.old' }] }, 'X')).to.deep.equal([
      'X/url',
      'X/list/old is no field',
      'X/list/name',
    ])
  })

  it('are mentioned in the SQL of the tables', () => {
    const sql = globSync(new URL('./tables/*.sql', import.meta.url).pathname)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    expect(Object.entries(placesOf).flatMap(([type, places]) => unread(places, type, sql))).to.deep.equal([])
  })

  it('lead to existing columns', async () => {
    await using tables = await askedTables(await archiveOf(kept))
    const columns = await tables.ask("SELECT table_name || '.' || column_name AS name FROM duckdb_columns()")
    expect(columns.map(({ name }) => name)).to.include.members([...columnsOfFields])
  })

  it('with content fill exactly the columns that are empty without it', async () => {
    expect(contentColumns).to.include.members(['jobs.host', 'attempts.domain', 'videos.title', 'webhooks.host'])
    expect(contentColumns).to.not.include('jobs.url')
    await using without = await askedTables(await archiveOf(kept))
    await using whole = await askedTables(await archiveOf(kept, true))
    for (const [table, names] of Map.groupBy(columnsOfFields, (name) => name.split('.')[0] ?? '')) {
      const counts = names.map((name) => `count(${name}) AS "${name}"`).join(', ')
      const [has = {}] = await without.ask(`SELECT ${counts} FROM ${table}`)
      const [all = {}] = await whole.ask(`SELECT ${counts} FROM ${table}`)
      for (const name of names) expect(has[name], name).to.equal(contentColumns.includes(name) ? 0 : all[name])
    }
  })

  it('with content are documented as such', () => {
    const sections = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
      .split(/^### /m)
      .slice(1)
    const told = sections.flatMap((section) =>
      [...section.matchAll(/^\| `(\w+)` \| \S+ \| (?:.*; )?with content only \|$/gm)].map(
        ([, column]) => `${/^\w+/.exec(section)?.[0]}.${column}`,
      ),
    )
    expect(told.sort()).to.deep.equal([...contentColumns].sort())
  })
})
