import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { newestVersion } from '#contracts/generated/events.ts'
import { credits } from '#packages/domain/credits/credits.ts'
import { job, settlementOf } from '#packages/domain/job/job.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { sha256 } from '#packages/ports/ids.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { type Share, type Shares, sharesOf, withoutContent } from './personal-data.ts'

type Schema = { properties?: Record<string, Schema>; items?: Schema }

const schemaOf = (type: string, version: number): Schema =>
  JSON.parse(readFileSync(new URL(`../../../contracts/events/${type}.v${version}.json`, import.meta.url), 'utf8'))

/** Fields of a schema that are missing from the table, and fields of the table that are in no schema. */
function undecided(schema: Schema, share: Share | Shares | readonly [Shares] | undefined, path: string): string[] {
  if (share === undefined) return [path]
  if (share === 'blank') return []
  if (schema.items?.properties !== undefined)
    return Array.isArray(share) ? undecided(schema.items, share[0], path) : [`each of ${path}`]
  if (schema.properties === undefined) return typeof share === 'string' ? [] : [`${path} has no fields`]
  if (typeof share === 'string') return [`the fields of ${path}`]
  const shares = share as Shares
  const unknown = Object.keys(shares).filter((name) => !Object.hasOwn(schema.properties ?? {}, name))
  return [
    ...unknown.map((name) => `${path}/${name} is in no schema`),
    ...Object.entries(schema.properties).flatMap(([name, of]) => undecided(of, shares[name], `${path}/${name}`)),
  ]
}

const histories = readHistories()
const anonymous = (events: readonly StoredEvent[]): StoredEvent[] =>
  events.map((event) => ({ ...event, data: withoutContent(event) }) as StoredEvent)

describe('personal data', () => {
  it('is decided on for each field of each event', () => {
    const found = Object.entries(newestVersion).flatMap(([type, version]) =>
      undecided(schemaOf(type, version), sharesOf[type as keyof typeof sharesOf], type),
    )
    expect(found).to.deep.equal([])
  })

  it('of a field that nobody has decided on is noticed', () => {
    const schema = { properties: { url: {}, list: { items: { properties: { name: {} } } } } }
    expect(undecided(schema, { list: 'kept' }, 'X')).to.deep.equal(['X/url', 'each of X/list'])
    expect(undecided(schema, { url: 'hashed', list: [{}], old: 'kept' }, 'X')).to.deep.equal([
      'X/old is in no schema',
      'X/list/name',
    ])
  })

  it('is hashed where events are compared by it, and blank elsewhere', () => {
    const url = 'https://films.example.com/a?user=ada'
    const options = { words: true, vocabulary: 'secret' }
    const data = { url, prompt: null, schema: { title: 'secret' }, kind: 'extraction', options }
    const event = { type: 'JobRequested', data } as unknown as StoredEvent
    expect(withoutContent(event)).to.deep.equal({
      url: 'sha256:856c12fa85cf242f',
      prompt: null,
      schema: {},
      kind: 'extraction',
      options: { words: true, vocabulary: `sha256:${sha256('secret').slice(0, 16)}` },
    })
  })

  it('leaves what the rules of jobs and credits fold to', () => {
    for (const { name, kind, events } of histories) {
      if (kind === 'credits') expect(fold(credits, anonymous(events)), name).to.deep.equal(fold(credits, events))
      if (kind === 'job') {
        const [whole, without] = [fold(job, events), fold(job, anonymous(events))]
        expect(without.status, name).to.equal(whole.status)
        expect(settlementOf(without), name).to.deep.equal(settlementOf(whole))
      }
    }
  })
})
