import { expect } from 'chai'
import { sha256 } from '#packages/ports/ids.ts'
import type { ChatEndpointBehaviour } from '#test/doubles/llm/chat-endpoint.ts'
import { apiKey, type ExtractionHarness, materialOf, startExtractionHarness, summary } from './extraction.harness.ts'
import { estimateTokens } from './extraction.ts'
import { instructions } from './prompt/build-prompt.ts'

const good = '{"summary": "a greeting"}'

describe('an extraction', () => {
  let harness: ExtractionHarness
  beforeEach(async () => {
    harness = await startExtractionHarness()
  })
  afterEach(() => harness[Symbol.asyncDispose]())
  const replies = (...texts: string[]) => {
    harness.endpoint.behaviour.reply = (_, calls) => texts[calls - 1] ?? texts.at(-1) ?? ''
  }
  const formats = () => harness.endpoint.requests.map(({ body }) => body.response_format?.type ?? 'none')

  it('sends the request, the transcript and metadata, and the pictures with their times', async () => {
    replies(good)
    await harness.run({ prompt: 'Summarise the clip.', schema: summary })
    const [request] = harness.endpoint.requests
    expect(request?.pictures.map(String)).to.deep.equal(['jpeg 0', 'jpeg 1'])
    const texts = request?.texts.map(({ text }) => text) ?? []
    expect(texts[1]).to.contain('Title: A film').and.to.contain('Author: Somebody').and.to.contain('Length: 1:15')
    expect(texts[1]).to.contain('Transcript (en):\n[0:03] Hello there.')
    expect(texts.slice(2, 4)).to.deep.equal(['The picture at 0:00:', 'The picture at 1:01:'])
    expect(texts[4]).to.contain('Summarise the clip.').and.to.contain('"summary"').and.to.contain('2 pictures')
    expect(request?.authorization).to.equal(`Bearer ${apiKey}`)
    expect(request?.body.model).to.equal('stand-in')
  })

  it('records the origin of a result: model, prompt, schema, pictures, tokens, rounds', async () => {
    replies('{}', good)
    const { result, ...from } = await harness.run({ prompt: 'P', schema: summary })
    expect(result).to.deep.equal({ summary: 'a greeting' })
    expect(from).to.deep.equal({
      model: 'stand-in-2026',
      promptHash: sha256(JSON.stringify([instructions, 'P'])),
      schemaHash: sha256(JSON.stringify(summary)),
      framesUsed: 2,
      tokens: { input: 200, output: 40 },
      rounds: 2,
    })
  })

  it('counts tokens itself if the endpoint does not', async () => {
    harness.endpoint.behaviour = { withoutUsage: true, reply: () => good }
    const { tokens } = await harness.run({})
    expect(tokens.output).to.equal(estimateTokens(good))
    expect(tokens.input).to.be.above(1000)
  })

  describe('with a schema', () => {
    it('sends it, in strict mode if every provider accepts it so', async () => {
      replies(good)
      await harness.run({ schema: summary })
      const open = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: {} }
      await harness.run({ schema: open })
      const [closed, loose] = harness.endpoint.requests.map(({ body }) => body.response_format)
      expect(closed).to.deep.equal({
        type: 'json_schema',
        json_schema: { name: 'result', strict: true, schema: summary },
      })
      const { $schema, ...sent } = open
      expect(loose?.json_schema).to.deep.equal({ name: 'result', strict: false, schema: sent })
    })

    it('sends and shows it in the form that every provider reads, and keeps it as given', async () => {
      replies('{"summary": "x", "next": null}')
      const properties = {
        summary: { type: 'string', 'x-order': 1 },
        next: { $ref: '#', nullable: true },
      }
      const standard = { summary: { type: 'string' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }
      const closed = { type: 'object', required: ['summary', 'next'], additionalProperties: false }
      const schema = { name: 'answer', strict: true, schema: { $id: 'answer', ...closed, properties } }
      const { schemaHash } = await harness.run({ schema })
      expect(schemaHash).to.equal(sha256(JSON.stringify(schema)))
      const [{ body, texts } = expect.fail('nothing was asked')] = harness.endpoint.requests
      const sent = { ...closed, properties: standard }
      expect(body.response_format?.json_schema).to.deep.equal({ name: 'result', strict: true, schema: sent })
      expect(texts.map(({ text }) => text).join('\n')).to.contain(JSON.stringify(sent))
    })

    it('shows the model the problems of its answer, twice at most', async () => {
      replies('{"summary": 7}', 'I would say: it greets.', good)
      expect(await harness.run({ schema: summary })).to.include({ rounds: 3 })
      const [first, second, third] = harness.endpoint.requests.map(({ texts }) => texts[1]?.text)
      expect(first).to.not.contain('WHAT IS WRONG')
      expect(second).to.contain('{"summary": 7}').and.to.contain('/summary must be string')
      expect(third).to.contain('I would say').and.to.contain('The answer was not JSON.').and.not.to.contain('must be')
    })

    it('then fails with extraction_invalid, and names the first problems only to the customer', async () => {
      replies('{"summary": 7, "more": 1}')
      const error = await harness.failure({ schema: summary })
      expect(error).to.include({ code: 'extraction_invalid', transient: false })
      expect(error.customerMessage)
        .to.contain('/summary must be string')
        .and.to.contain('additional properties ("more")')
      expect(error.message, 'which a log keeps').to.not.contain('summary')
      expect(harness.endpoint.requests).to.have.length(3)
    })

    it('accepts no list, text or null in place of an object', async () => {
      for (const answer of ['[]', '"x"', 'null', '7', '']) {
        replies(answer)
        expect(await harness.failure({ schema: {} })).to.include({ code: 'extraction_invalid' })
      }
    })

    it('finds the JSON in what models put around it', async () => {
      for (const answer of [
        `\n\`\`\`json\n${good}\n\`\`\`\n`,
        `Sure! Here it is:\n\`\`\`\n${good}\n\`\`\`\nAnything else?`,
        `<think>{"summary": 1} hm</think>\n${good}`,
        `The answer is ${good}.`,
      ]) {
        replies(answer)
        expect((await harness.run({ schema: summary })).result, answer).to.deep.equal({ summary: 'a greeting' })
      }
    })

    it('fails if validation takes too long, and serves the next one', async () => {
      const list = Array.from({ length: 24_000 }, (_, index) => ({ index }))
      replies(JSON.stringify({ list }))
      const schema = { type: 'object', properties: { list: { uniqueItems: true } } }
      const error = await harness.failure({ schema })
      expect(error).to.include({ code: 'extraction_invalid', transient: false })
      expect(error.message).to.contain('time or memory')
      expect(harness.endpoint.requests).to.have.length(1)
      replies(good)
      expect(await harness.run({ schema: summary })).to.include({ rounds: 1 })
    })
  })

  describe('without a schema', () => {
    it('returns the object of the model, and wraps any other value as `result`', async () => {
      const cases: [string, unknown][] = [
        ['{"a": 1}', { a: 1 }],
        ['["one", "two"]', { result: ['one', 'two'] }],
        ['"text"', { result: 'text' }],
        ['null', { result: null }],
        ['It greets.', { result: 'It greets.' }],
      ]
      for (const [answer, result] of cases) {
        replies(answer)
        expect((await harness.run({})).result).to.deep.equal(result)
      }
      expect(formats()).to.deep.equal(cases.map(() => 'json_object'))
    })

    it('asks again if the answer is empty', async () => {
      replies('', '  ', '{"a": 1}')
      expect(await harness.run({})).to.include({ rounds: 3 })
      replies('')
      expect(await harness.failure({})).to.include({ code: 'extraction_invalid' })
    })
  })

  describe('falls back if the endpoint refuses', () => {
    it('json_schema: to json_object, then to the prompt alone, and remembers it for an hour', async () => {
      harness.endpoint.behaviour = { refusedFormats: ['json_schema', 'json_object'], reply: () => good }
      expect(await harness.run({ schema: summary })).to.include({ rounds: 1, framesUsed: 2 })
      expect(formats()).to.deep.equal(['json_schema', 'json_object', 'none'])
      await harness.run({ schema: summary })
      await harness.run({})
      expect(formats().slice(3), 'no form is tried again').to.deep.equal(['none', 'none'])
      harness.clock.advance(61 * 60_000)
      await harness.run({ schema: summary })
      expect(formats().slice(5)).to.deep.equal(['json_schema', 'json_object', 'none'])
    })

    it('one schema: but still sends the next schema', async () => {
      harness.endpoint.behaviour.reply = ({ body }, calls) =>
        body.response_format?.type === 'json_schema' && calls === 1
          ? { status: 400, error: "Invalid schema for response_format 'result': In context=(), 'x' is not permitted." }
          : good
      await harness.run({ schema: summary })
      await harness.run({ schema: summary })
      expect(formats()).to.deep.equal(['json_schema', 'json_object', 'json_schema'])
    })

    const refusals = [
      { status: 400, error: 'This model does not support image input.' },
      { status: 400, error: 'invalid request' },
      { status: 404, error: 'No endpoints found that support image input' },
      { status: 422, error: 'messages[1].content[1]: unknown type' },
      { status: 413, error: 'payload too large' },
    ]
    for (const refused of refusals)
      it(`pictures (${refused.status} ${refused.error}): without them, and says so to the model`, async () => {
        harness.endpoint.behaviour = { refusedPictures: refused, reply: () => good }
        const request = { prompt: 'Look', schema: summary }
        expect(await harness.run(request)).to.include({ framesUsed: 0 })
        const last = harness.endpoint.requests.at(-1)
        expect(last?.texts.at(-1)?.text).to.contain('You are not shown the pictures')
        expect(last?.body.response_format?.type, 'which was not at fault').to.equal('json_schema')
        expect(harness.model.seesFrames).to.equal(false)
        const { video, transcript } = materialOf('x')
        expect(harness.extraction.roomForFrames({ prompt: '', schema: null }, { video, transcript })).to.equal(0)
        const before = harness.endpoint.requests.length
        await harness.run(request)
        expect(harness.endpoint.requests, 'remembered').to.have.length(before + 1)
      })

    it('everything: the job fails, and nothing is remembered', async () => {
      harness.endpoint.behaviour.reply = () => ({ status: 400, error: `bad ${apiKey}` })
      const error = await harness.failure({ schema: summary })
      expect(error).to.include({ code: 'upstream_error', transient: false })
      expect(JSON.stringify([error.customerMessage, harness.lines, { ...error }])).to.not.contain(apiKey)
      expect(harness.endpoint.requests).to.have.length(6)
      expect(harness.model.seesFrames).to.equal(true)
    })
  })

  describe('has outcomes of its own', () => {
    type Answer = ReturnType<NonNullable<ChatEndpointBehaviour['reply']>>
    const unusable = { code: 'extraction_invalid', transient: false }
    const passing = { code: 'upstream_error', transient: true }
    const busy = { status: 429, error: 'slow', headers: { 'retry-after': '7' } }
    const once: [string, Answer, object][] = [
      ['a refusal', { refusal: 'I will not.' }, unusable],
      ['an answer that was filtered', { content: '', finishReason: 'content_filter' }, unusable],
      ['an answer that was cut off', { content: '{"summary": "a', finishReason: 'length' }, unusable],
      ['a key that is refused', { status: 401, error: `bad ${apiKey}` }, { ...passing, transient: false }],
      ['a failing endpoint', { status: 503, error: 'busy' }, passing],
      ['no choices', { raw: '{"choices": []}' }, passing],
      ['garbage', { raw: '<html>' }, passing],
      ['an answer without end', { raw: `{"a": "${'x'.repeat(5_000_000)}"}` }, passing],
      [
        'a context that is too small',
        { status: 400, error: 'too long', code: 'context_length_exceeded' },
        { code: 'media_too_long', transient: false },
      ],
      ['429 with Retry-After', busy, { ...passing, retryAfterSeconds: 7 }],
    ]
    for (const [name, answer, outcome] of once)
      it(`${name}: asked once, and not repaired`, async () => {
        harness.endpoint.behaviour.reply = () => answer
        const error = await harness.failure({ schema: summary })
        expect(error).to.include(outcome)
        expect(harness.endpoint.requests).to.have.length(1)
        expect(JSON.stringify([error.customerMessage, harness.lines])).to.not.contain(apiKey)
      })

    it('wait after a 429 between rounds, if the deadline allows it: earlier rounds are already paid for', async () => {
      harness.endpoint.behaviour.reply = (_, calls) =>
        calls === 2 ? { status: 429, error: 'slow', headers: { 'retry-after': '20' } } : calls === 1 ? '{}' : good
      expect(await harness.run({ schema: summary })).to.include({ rounds: 2 })
      expect(harness.clock.slept).to.deep.equal([20_000])

      harness.endpoint.behaviour.reply = (_, calls) =>
        calls === 5 ? { status: 429, error: 'slow', headers: { 'retry-after': '61' } } : '{}'
      expect(await harness.failure({ schema: summary }), 'what does not fit').to.include({ retryAfterSeconds: 61 })
    })

    it('report the tokens of every answer, even if a later call fails', async () => {
      harness.endpoint.behaviour.reply = () => '{}'
      await harness.failure({ schema: summary })
      expect(harness.used).to.deep.equal({ tokens: { input: 300, output: 60 }, audioSeconds: 0 })
      harness.endpoint.behaviour.reply = (_, calls) => (calls === 5 ? { status: 503, error: 'busy' } : '{}')
      await harness.failure({ schema: summary })
      expect(harness.used.tokens).to.deep.equal({ input: 100, output: 20 })
    })

    it('end when aborted, if the endpoint never answers', async () => {
      harness.endpoint.behaviour.reply = () => 'hang'
      const stop = new AbortController()
      const running = harness.run({}, undefined, stop.signal).catch((error: Error) => error.message)
      while (harness.endpoint.requests.length === 0) await new Promise(setImmediate)
      stop.abort(new Error('the claim was lost'))
      expect(await running).to.equal('the claim was lost')
    })
  })

  describe('of a long video', () => {
    const hours = (count: number) => materialOf('and so on it goes, word after word, '.repeat(count * 300), 0)
    const roomIn = async (contextTokens: number, said: number) => {
      await using own = await startExtractionHarness({}, { contextTokens })
      return own.extraction.roomForFrames({ prompt: 'x', schema: null }, hours(said))
    }

    it('fails if its text is longer than the context: nothing is cut', async () => {
      const error = await roomIn(20_000, 10).catch((thrown) => thrown)
      expect(error).to.include({ code: 'media_too_long', transient: false })
      expect(await roomIn(100_000, 10)).to.equal(24)
    })

    it('sends the whole text if it fits', async () => {
      replies(good)
      await harness.run({ schema: summary }, hours(10))
      expect(harness.endpoint.requests[0]?.texts[1]?.text.match(/word after word/g)).to.have.length(3000)
    })

    it('gives pictures at most a quarter of the context, within what the text leaves', async () => {
      expect(await roomIn(8000, 0)).to.equal(4)
      expect(await roomIn(50_000, 10)).to.be.within(0, 14)
      expect(await roomIn(1_000_000, 0)).to.equal(24)
    })

    it('counts at least one token per four letters of English, and one per character of Chinese', () => {
      expect(estimateTokens('the quick brown fox '.repeat(20))).to.be.at.least(100)
      expect(estimateTokens('敏捷的棕色狐狸'.repeat(10))).to.be.at.least(70)
    })
  })
})
