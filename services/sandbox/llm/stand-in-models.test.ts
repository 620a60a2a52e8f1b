import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { Validation } from '#packages/content/extraction/answer/validation.ts'
import { materialOf } from '#packages/content/extraction/extraction.harness.ts'
import { createExtraction } from '#packages/content/extraction/extraction.ts'
import { chatModel } from '#packages/content/extraction/model/chat-model.ts'
import { newBoundary } from '#packages/content/extraction/prompt/data-block.ts'
import { assertSchema } from '#packages/content/extraction/schema/check-schema.ts'
import type { GivenSchema } from '#packages/content/extraction/schema/schema-tree.ts'
import { decodeAudio } from '#packages/content/media/decode-audio.ts'
import { Launcher } from '#packages/content/media/launcher.ts'
import { EndpointHealth } from '#packages/content/openai/endpoint-health.ts'
import { encodeFlac } from '#packages/content/speech/encode-flac.ts'
import { speechEndpoint } from '#packages/content/speech/openai/endpoint.ts'
import { nothingUsedYet } from '#packages/domain/job/used.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { heardIn, secondsOf } from '../films.ts'
import { loadMedia } from '../media.ts'
import { STAND_IN, startStandInModels } from './stand-in-models.ts'

const schemas: Record<string, GivenSchema> = {
  'texts and lists': {
    type: 'object',
    properties: { summary: { type: 'string' }, topics: { type: 'array', items: { type: 'string' }, minItems: 3 } },
    required: ['summary', 'topics'],
    additionalProperties: false,
  },
  'definitions, choices and numbers': {
    type: 'object',
    properties: {
      people: { type: 'array', items: { $ref: '#/$defs/person' }, maxItems: 1 },
      mood: { enum: ['good', 'bad'] },
      stars: { type: 'integer', minimum: 1, maximum: 5 },
      since: { type: ['string', 'null'], format: 'date' },
      note: { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 5 }] },
    },
    required: ['people', 'mood', 'stars', 'since', 'note'],
    $defs: { person: { allOf: [{ properties: { name: { type: 'string' } } }, { required: ['name'] }] } },
  },
  'lists of its own kind': {
    type: 'object',
    properties: {
      title: { type: 'string' },
      chapters: { type: 'array', items: { $ref: '#' } },
      next: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
    },
    required: ['title', 'chapters', 'next'],
  },
  'no named fields': {},
}

describe("the sandbox's stand-in for models", () => {
  const models = openedForAll(startStandInModels)
  const validation = openedForAll(async () => new Validation())
  const clock = instantClock()
  const { log } = keptLog()

  const extraction = () =>
    createExtraction({
      model: chatModel({
        baseUrl: models.baseUrl,
        apiKey: '',
        model: STAND_IN,
        health: new EndpointHealth(clock, 'model'),
        clock,
        log,
      }),
      problems: (schema, answer, asker) => validation.problems(schema, answer, asker),
      newBoundary,
      contextTokens: 100_000,
      maxFrames: 24,
    })
  const never = new AbortController().signal
  const limits = () => ({
    organization: 'org-1',
    signal: never,
    deadlineAt: Date.now() + 60_000,
    used: nothingUsedYet(),
  })

  for (const [name, schema] of Object.entries(schemas))
    it(`follows a schema with ${name}, in words of the transcript, and names itself a stand-in`, async () => {
      assertSchema(schema)
      const produced = await extraction().extract({ prompt: 'x', schema }, materialOf('Had he married.'), limits())
      expect(produced).to.include({ model: STAND_IN, rounds: 1, framesUsed: 2 })
      const words = JSON.stringify(produced.result)
      if (Object.keys(produced.result).length > 0) expect(words).to.contain('Had')
    })

  it('names itself in an answer without a schema', async () => {
    const { result } = await extraction().extract(
      { prompt: 'x', schema: null },
      materialOf('Had he married.'),
      limits(),
    )
    expect(result).to.deep.equal({ answeredBy: STAND_IN, pictures: 2, said: ['Had he married.'] })
  })

  it('transcribes a film of the sandbox', async () => {
    await using directory = await temporaryDirectory()
    await using launcher = new Launcher()
    const media = await loadMedia()
    const film = join(directory.path, 'film.mp4')
    await writeFile(film, media.leisure.film.body)
    const wavPath = join(directory.path, 'film.wav')
    const signal = never
    const seconds = await decodeAudio(film, wavPath, { launcher, signal, timeoutMs: 20_000 })
    expect(seconds).to.be.closeTo(secondsOf('leisure'), 0.5)
    const stretch = { start: 0, end: seconds }
    const file = { wavPath, directory: directory.path, name: 'film.flac' }
    const path = await encodeFlac({ launcher, ...file, stretch, signal, timeoutMs: 20_000 })
    const health = new EndpointHealth(clock, 'speech')
    const account = { baseUrl: models.baseUrl, apiKey: '', model: STAND_IN }
    const speech = speechEndpoint({ ...account, health, telemetry: noTelemetry, clock, log })
    const asked = {
      path,
      seconds,
      format: 'verbose_json',
      language: undefined,
      vocabulary: null,
      words: false,
      waitInPlace: false,
      ...limits(),
    } as const
    expect((await speech.transcribe(asked)).segments?.map(({ text }) => text)).to.deep.equal(
      heardIn('leisure').map(({ text }) => text),
    )
  })
})
