import { expect } from 'chai'
import { times } from '#packages/content/extraction/schema/accepted-schemas.fixture.ts'
import { doubling } from '#packages/content/extraction/schema/refused-schemas.fixture.ts'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import type { Answer, Client } from '#test/doubles/service/client.ts'
import { assertNeverHeld } from '#test/doubles/service/loop-watch.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'

const properties = (count: number, schemaOf: (n: number) => unknown): object => ({
  properties: Object.fromEntries(times(count, (n) => [`p${n}`, schemaOf(n)])),
})
const patterns = (source: string): object => properties(50, () => ({ pattern: source }))
const names = (count: number): string[] => times(count, (n) => `n${n}`)

/** A schema may be refused or accepted here. What matters is that other callers do not wait for it. */
const attacks: Record<string, object> = {
  'ranges of all letters without their case, 50 times': patterns(`(?i)${'[B-U\\u{1E900}]'.repeat(33)}`),
  'wide ranges without their case, 50 times': patterns(`(?i)${'[B-\\u{1E900}]'.repeat(33)}`),
  'wide ranges, the flag in the middle of a group': patterns(`x(?s:y(?m-s:z(?i:${'[B-\u{1E900}]'.repeat(70)})))`),
  'wide ranges as complements and as octal numbers': patterns(`(?i)${'[^\\101-\\x{1E8FF}]'.repeat(25)}`),
  'classes of Unicode': patterns(`${'\\pL\\PN[^\\p{Lu}]'.repeat(25)}`),
  'classes of Unicode without their case': patterns(`(?i)${'[\\pL\\pN\\PS]'.repeat(35)}`),
  'repetitions of repetitions': patterns('((a{1,30}){1,30}b?){1,5}'),
  'alternatives without their case': patterns(`(?i)${times(120, (n) => String.fromCharCode(0x100 + n * 4)).join('|')}`),
  'names by pattern': { patternProperties: Object.fromEntries(times(50, (n) => [`(?i)\\pL{9}${n}`, {}])) },
  'a list of 7,000 values': properties(1, () => ({ enum: times(7000, (n) => n) })),
  'a list of 1,500 objects': properties(1, () => ({ enum: times(1500, (n) => ({ n: [n, { n }] })) })),
  '5,000 names that are required': { required: names(5000), dependentRequired: { a: names(5) } },
  'a tree of 400 alternatives': { oneOf: times(20, () => ({ anyOf: times(20, () => ({ type: 'object' })) })) },
  'references that double': doubling(11),
  'references to itself, 400 times': properties(400, () => ({ anyOf: [{ $ref: '#' }] })),
  '499 formats and lengths': properties(499, () => ({ type: 'string', format: 'uri', minLength: 1, maxLength: 9 })),
}
const bodies: Record<string, string> = {
  'six thousand levels': `${'{"not":'.repeat(6000)}{}${'}'.repeat(6000)}`,
  'thirty thousand brackets': JSON.stringify(patterns('[')).replace('"["', JSON.stringify('['.repeat(30_000))),
}

describe('schemas that take long to compile', function () {
  this.timeout(180_000)
  const env = { RATE_HEAVY_FACTOR: '1000', RATE_LIGHT_PER_MINUTE: '100000', LLM_BASE_URL: 'http://127.0.0.1:9/v1' }
  const setting = openedForAll(() => Setting.start({ speech: null, env }))
  const me = madeForAll(() => setting.client())
  const other = madeForAll(() => setting.client())

  const url = at('/film.mp4')
  const post = (client: Client, schema: string): Promise<Answer> => {
    const body = `{"url":${JSON.stringify(url)},"prompt":"x","schema":${schema}}`
    return client.call('POST', '/v1/extract', body, { 'content-type': 'application/json' })
  }

  for (const [name, schema] of [
    ...Object.entries(attacks).map(([name, schema]) => [name, JSON.stringify(schema)] as const),
    ...Object.entries(bodies),
  ])
    it(`do not hold the event loop: ${name}`, async () => {
      await assertNeverHeld(setting, me, async () => {
        const answer = await post(me, schema)
        expect([202, 400, 403], answer.text).to.include(answer.status)
        if (answer.status === 400) expect(answer.text).to.match(/"path":"schema/)
        expect(answer.text.length).to.be.below(1000)
      })
    })

  it('leave room for others while one organization has as many under way as it may', async () => {
    const schemas = times(40, (n) => JSON.stringify({ ...attacks['alternatives without their case'], title: `${n}` }))
    await assertNeverHeld(setting, me, async () => {
      const flood = Promise.all(schemas.map((schema) => post(me, schema)))
      const theirs = await post(other, JSON.stringify({ title: 'an honest one' }))
      expect(theirs.status, theirs.text).to.equal(202)
      const statuses = (await flood).map(({ status }) => status)
      expect(statuses).to.include(503)
      expect([...new Set(statuses)].every((status) => [202, 400, 403, 503].includes(status))).to.equal(true)
    })
  })

  it('are checked against the model’s answer in a thread, too', async () => {
    const model = await startChatEndpoint({ reply: () => JSON.stringify({ list: times(20_000, (n) => ({ n })) }) })
    const env = { RATE_LIGHT_PER_MINUTE: '100000', LLM_BASE_URL: model.baseUrl }
    try {
      await using own = await Setting.start({ media: ['captioned.mp4'], speech: null, env })
      const client = await own.client()
      const schema = { properties: { list: { uniqueItems: true } } }
      await assertNeverHeld(own, client, async () => {
        const { body } = await client.post('/v1/extract', { url: at('/captioned.mp4'), prompt: 'x', schema })
        const ended = await client.ended(body.jobId ?? '', '/v1/extract')
        expect([ended.body.status, ended.body.error]).to.have.nested.property('[1].code', 'extraction_invalid')
      })
      expect(await client.credits()).to.equal(50)
    } finally {
      await model[Symbol.asyncDispose]()
    }
  })
})
