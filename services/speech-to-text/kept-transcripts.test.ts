import { expect } from 'chai'
import { noOptions } from '#packages/domain/job/events.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'
import { stepContext, temporaryCache } from '#test/doubles/step-context.ts'
import { keptTranscripts } from './kept-transcripts.ts'

const contextOf = (orgId: string, url = 'https://cdn.example.com/a.mp4', lang: string | null = null) =>
  stepContext({ orgId, url, lang })
const naming = (vocabulary: string) => stepContext({ orgId: 'org-1', options: { ...noOptions, vocabulary } })

describe('the transcript of speech', () => {
  it('is made once per organization, language, vocabulary and engine; so is a result without speech', async () => {
    await using kept = await temporaryCache()
    let heard = 0
    const work: StepWork = async ({ job }) => {
      heard += 1
      if (job.url.endsWith('silent.mp4')) throw new StepError('no_speech')
      return results.speech
    }
    const step = keptTranscripts(work, { cache: kept.cache, engine: 'made-up 1' })
    expect(await step(contextOf('org-1'))).to.deep.equal(results.speech)
    const { type, data } = results.speech
    const reused = await step(contextOf('org-1'))
    expect(reused, 'says that it used no sound').to.deep.equal({ type, data: { ...data, reused: true } })
    expect(heard).to.equal(1)
    await step(contextOf('org-2'))
    await step(contextOf('org-1', undefined, 'de'))
    await keptTranscripts(work, { cache: kept.cache, engine: 'made-up 2' })(contextOf('org-1'))
    expect(heard).to.equal(4)
    for (let time = 0; time < 2; time++)
      expect(await step(contextOf('org-1', 'http://a.example/silent.mp4')).catch((error) => error)).to.include({
        code: 'no_speech',
      })
    expect(heard).to.equal(5)
    for (const vocabulary of ['Marianne', 'Elinor', 'Marianne']) await step(naming(vocabulary))
    expect(heard).to.equal(7)
  })

  it('with its words serves jobs with and without words; without them it is made again with words, once', async () => {
    await using kept = await temporaryCache()
    const asking = (words: boolean) => stepContext({ options: { ...noOptions, words } })
    for (const [tells, expected] of [
      ['always', 1],
      ['where asked', 2],
      ['never', 2],
    ] as const) {
      let heard = 0
      const plain = results.speech.data
      const words = [{ start: 0, end: 1, text: 'hello' }]
      const work: StepWork = async ({ job }) => {
        heard += 1
        const isTold = tells === 'always' || (tells === 'where asked' && job.options.words)
        return { type: 'SpeechTranscribed', data: isTold ? { ...plain, words } : plain }
      }
      const step = keptTranscripts(work, { cache: kept.cache, engine: tells })
      for (const isAsked of [false, true, true, false]) {
        const { data } = await step(asking(isAsked))
        if (isAsked) expect('words' in data, tells).to.equal(tells !== 'never')
      }
      expect(heard, tells).to.equal(expected)
    }
  })

  it('is made again after a failure', async () => {
    await using kept = await temporaryCache()
    let heard = 0
    const work: StepWork = async () => {
      heard += 1
      throw new StepError('upstream_error', { transient: true })
    }
    const step = keptTranscripts(work, { cache: kept.cache, engine: 'made-up' })
    for (let time = 0; time < 2; time++)
      expect(await step(contextOf('org-1')).catch((error) => error)).to.include({ code: 'upstream_error' })
    expect(heard).to.equal(2)
  })
})
