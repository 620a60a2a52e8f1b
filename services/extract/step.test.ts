import { expect } from 'chai'
import { materialOf, startExtractionHarness, summary } from '#packages/content/extraction/extraction.harness.ts'
import type { Extraction } from '#packages/content/extraction/extraction.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import type { StepContext } from '#packages/jobs/processing/step.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { stepContext } from '#test/doubles/step-context.ts'
import { extractStep } from './step.ts'

const frames = [{ seconds: 1, jpeg: Buffer.from('jpeg') }]

/** A job with its extract step due, after the results in `events`. */
const contextOf = (events: object[]) =>
  stepContext(
    { kind: 'extraction', mode: null, prompt: 'What is said?', schema: summary },
    { video: results.fetched.data, events },
  )

describe('the extract step', () => {
  it("records the model's extraction from the captions or the speech, and the pictures", async () => {
    await using harness = await startExtractionHarness({ reply: () => '{"summary": "x"}' })
    const { extraction } = harness
    const step = extractStep({ extraction, framesOf: async () => frames })
    for (const [events, said] of [
      [[results.captions], 'Hello.'],
      [[results.noCaptions, results.speech], 'hello'],
    ] as const) {
      const { type, data } = await step(contextOf([...events]))
      expect(type).to.equal('ExtractionProduced')
      expect(data).to.deep.include({ result: { summary: 'x' }, framesUsed: 1, rounds: 1 })
      expect(harness.endpoint.requests.at(-1)?.texts[1]?.text).to.contain(said)
    }
  })

  it('takes as many pictures as fit the context, and opens no media if none fit', async () => {
    const asked: number[] = []
    const framesOf = async (_: StepContext, most: number) => {
      asked.push(most)
      return frames
    }
    const produced = results.extraction.data
    const extractionWith = (room: number): Extraction => ({ roomForFrames: () => room, extract: async () => produced })
    for (const room of [7, 0])
      await extractStep({ extraction: extractionWith(room), framesOf })(contextOf([results.captions]))
    expect(asked).to.deep.equal([7])
  })

  it('refuses a text longer than the context before it opens the media', async () => {
    await using harness = await startExtractionHarness({}, { contextTokens: 2000 })
    const opened = () => Promise.reject(new Error('opened'))
    const step = extractStep({ extraction: harness.extraction, framesOf: opened })
    const { segments } = materialOf('and so on '.repeat(2000)).transcript
    const long = { type: 'CaptionsRead', data: { ...results.captions.data, segments } }
    expect(await failureOf(step(contextOf([long])))).to.include({ code: 'media_too_long', transient: false })
    expect(harness.endpoint.requests).to.have.length(0)
  })

  it('sends an empty transcript if the video has no speech', async () => {
    await using harness = await startExtractionHarness({ reply: () => '{"summary": "x"}' })
    const silent = { type: 'SpeechTranscribed', data: { ...results.speech.data, segments: [] } }
    await extractStep({ extraction: harness.extraction, framesOf: async () => frames })(contextOf([silent]))
    expect(harness.endpoint.requests[0]?.texts[1]?.text).to.contain('Nothing is said in it.')
  })

  it('fails if the video was not read first', async () => {
    await using harness = await startExtractionHarness()
    const step = extractStep({ extraction: harness.extraction, framesOf: async () => frames })
    expect(await failureOf(step(contextOf([results.noCaptions])))).to.include({ code: 'internal_error' })
  })
})
