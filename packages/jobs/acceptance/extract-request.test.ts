import { expect } from 'chai'
import { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import { noOptions } from '#packages/domain/job/events.ts'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { extractRequestOf } from './extract-request.ts'

const url = 'https://cdn.example.com/film.mp4'
const schema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] }

describe('a request for an extraction', () => {
  const schemas = new SchemaChecks()
  after(() => schemas[Symbol.asyncDispose]())
  const requestOf = (body: unknown) => extractRequestOf(body, 'org', { schemas, extracts: true })
  const problemOf = (body: unknown): Promise<unknown> =>
    requestOf(body).catch((error: unknown) => (error as ServiceError).details)

  it('has its URL and its language in canonical spelling, its prompt and its schema unchanged', async () => {
    const body = { url: 'HTTPS://cdn.EXAMPLE.com/film.mp4#t=1', prompt: ' What? ', lang: 'EN-us', schema }
    const request = {
      kind: 'extraction',
      url,
      mode: null,
      lang: 'en-US',
      prompt: ' What? ',
      schema,
      options: noOptions,
    }
    expect(await requestOf(body)).to.deep.equal(request)
    expect(await requestOf({ url, prompt: 'x', lang: 'german', strictLang: true, translate: true })).to.deep.include({
      lang: 'de',
      options: { ...noOptions, strictLang: true, translate: true },
    })
    const named = await requestOf({ url, prompt: 'x', vocabulary: 'Dashwood' })
    expect(named.options).to.deep.equal({ ...noOptions, vocabulary: 'Dashwood' })
    expect(await requestOf({ url, prompt: 'x' })).to.include({ lang: null, schema: null })
    expect(await requestOf({ url, prompt: 'x'.repeat(8000) })).to.have.property('kind', 'extraction')
  })

  const wrong: [string, Record<string, unknown>, string][] = [
    ['no prompt', { prompt: undefined }, 'prompt'],
    ['an empty prompt', { prompt: '' }, 'prompt'],
    ['a prompt of nothing but space', { prompt: ' \n ' }, 'prompt'],
    ['a prompt of 8,001 characters', { prompt: 'x'.repeat(8001) }, 'prompt'],
    ['a prompt that is not a text', { prompt: ['x'] }, 'prompt'],
    ['no url', { url: undefined }, 'url'],
    ['an address inside', { url: 'http://127.0.0.1/a.mp4' }, 'url'],
    ['a lang that is not a language tag', { lang: 'no language' }, 'lang'],
    ['a vocabulary of 801 characters', { vocabulary: 'x'.repeat(801) }, 'vocabulary'],
    ['a vocabulary of two lines', { vocabulary: 'a\nb' }, 'vocabulary'],
    ['a mode', { mode: 'auto' }, 'mode'],
    ['a schema that is a list', { schema: [] }, 'schema'],
    ['a schema that is null', { schema: null }, 'schema'],
    ['a root that is a list', { schema: { type: 'array' } }, 'schema.type'],
    ['an unknown type', { schema: { properties: { x: { type: 'strange' } } } }, 'schema.properties.x.type'],
    ['a remote reference', { schema: { properties: { x: { $ref: 'http://a/' } } } }, 'schema.properties.x.$ref'],
    ['a circle', { schema: { $ref: '#' } }, 'schema'],
  ]
  for (const [name, change, path] of wrong)
    it(`with ${name} is a 400 that names ${path}`, async () => {
      expect(await problemOf({ url, prompt: 'x', ...change })).to.have.nested.property('[0].path', path)
    })

  it('with long names in its schema is refused with a short path', async () => {
    const named = { properties: { ['x'.repeat(5000)]: { type: 1 } } }
    expect(await problemOf({ url, prompt: 'x', schema: named }))
      .to.have.nested.property('[0].path')
      .of.length.at.most(200)
  })
})
