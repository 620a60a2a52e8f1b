/** Extractions from a URL to the result, over HTTP: real films, the whole service, and a stand-in as model. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type ChatRequest, startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { captionText } from '#test/doubles/world/media.ts'
import { makeNumberedFilm, readNumbers } from '#test/doubles/world/numbered-film.ts'

/** Must never appear in a log. */
const apiKey = 'sk-scenario-model'
const prompt = 'Which numbers are shown, secretly?'
const numbers = [3, 141, 250]
const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }

type Ended = {
  status: number
  body: { jobId: string; status: string; resultJson: unknown; error: { code: string; message: string } | null }
}

describe('extractions', function () {
  this.timeout(120_000)
  const directory = directoryForAll()
  const model = openedForAll(() => startChatEndpoint())
  const setting = openedForAll(async () => {
    const film = join(directory.path, 'numbers.mp4')
    await makeNumberedFilm(
      film,
      numbers.map((number) => ({ number, seconds: 2 })),
    )
    return Setting.start({
      media: ['captioned.mp4', 'speech.mp4', 'speech.mp3', 'notes.mp4'],
      files: { '/numbers.mp4': await readFile(film), '/numbers-again.mp4': await readFile(film) },
      env: { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: apiKey, JOB_WINDOW_SECONDS: '60' },
    })
  })
  beforeEach(() => {
    model.requests.length = 0
    model.behaviour = { reply: () => '{"topic": "numbers"}' }
  })

  async function run(me: Client, request: object): Promise<Ended> {
    const accepted = await me.post('/v1/extract', { prompt, ...request })
    expect(accepted.status, accepted.text).to.equal(202)
    return (await me.ended(accepted.body.jobId ?? '', '/v1/extract')) as unknown as Ended
  }
  const numbersIn = async ({ pictures }: ChatRequest): Promise<number[]> =>
    (await readNumbers(pictures)).map(({ number }) => number)

  it('shows the model the pictures of a film, each scene once, and its captions', async () => {
    const me = await setting.client()
    const shown = await run(me, { url: at('/numbers.mp4'), schema })
    expect(shown.body).to.deep.include({ status: 'completed', resultJson: { topic: 'numbers' }, error: null })
    expect(model.requests).to.have.length(1)
    expect(await numbersIn(model.requests[0] as ChatRequest)).to.deep.equal(numbers)
    expect(model.requests[0]?.texts[1]?.text, 'it has no speech').to.contain('Nothing is said in it.')
    await run(me, { url: at('/captioned.mp4'), lang: 'en' })
    for (const line of captionText.en) expect(model.requests[1]?.texts[1]?.text).to.contain(line)
    expect(await me.credits()).to.equal(30)
  })

  it('uses speech if there are no captions, and has no pictures of an audio file', async () => {
    const me = await setting.client()
    for (const file of ['/speech.mp4', '/speech.mp3']) await run(me, { url: at(file) })
    expect(model.requests.map(({ texts }) => texts[1]?.text.includes('Sound 0.'))).to.deep.equal([true, true])
    expect(model.requests.map(({ pictures }) => pictures.length > 0)).to.deep.equal([true, false])
  })

  it('does not download, transcribe or take pictures again for the same organization: a second one waits only for the model', async () => {
    const me = await setting.client({ plan: 'starter' })
    for (const [path, hasSound] of [
      ['/numbers-again.mp4', false],
      ['/speech.mp4', true],
      ['/numbers.mp4?signature=a%2Fb', false],
    ] as const) {
      const first = await run(me, { url: at(path), schema })
      const [downloads, heard] = [setting.world.requests.length, setting.speech?.requests.length]
      const asked = model.requests.length
      const second = await run(me, { url: at(path), schema, prompt: 'And now?' })
      expect(model.requests.length, 'the model is asked once').to.equal(asked + 1)
      expect(setting.world.requests.length, 'nothing is downloaded again').to.equal(downloads)
      expect(setting.speech?.requests.length, 'nothing is heard again').to.equal(heard)
      expect(model.requests.at(-1)?.pictures).to.deep.equal(model.requests.at(-2)?.pictures)
      const [before, after] = [await setting.history(first.body.jobId), await setting.history(second.body.jobId)]
      // A long step has its lease extended, which differs from run to run.
      const typesOf = (events: typeof before) =>
        events.map(({ type }) => type).filter((type) => type !== 'LeaseExtended')
      expect(typesOf(after)).to.deep.equal(typesOf(before))
      const said = (events: typeof before) => events.find(({ type }) => type === 'SpeechTranscribed')?.data
      expect(said(after)).to.deep.equal({ ...said(before), ...(hasSound && { reused: true }) })
    }
  })

  it('repairs an answer, and refunds the credits if it cannot be repaired', async () => {
    const me = await setting.client()
    model.behaviour.reply = (_, calls) => (calls === 1 ? '{"topic": 7}' : '{"topic": "numbers"}')
    const { body } = await run(me, { url: at('/captioned.mp4'), schema })
    expect(body.status).to.equal('completed')
    const produced = (await setting.history(body.jobId)).find(({ type }) => type === 'ExtractionProduced')
    expect(produced?.data).to.include({ rounds: 2, model: 'gpt-4.1-mini-2026' })
    model.behaviour.reply = () => '{"topic": 7}'
    const failed = await run(me, { url: at('/captioned.mp4'), schema })
    expect(failed.body).to.deep.include({ status: 'failed', resultJson: null })
    expect(failed.body.error).to.include({ code: 'extraction_invalid' })
    expect(failed.body.error?.message).to.contain('/topic must be string')
    expect(await me.credits()).to.equal(40)
  })

  it('waits as long as a busy model asks, and ends with the code of what went wrong', async () => {
    const me = await setting.client()
    model.behaviour.reply = (_, calls) =>
      calls === 1 ? { status: 429, error: 'slow', headers: { 'retry-after': '2' } } : '{"topic": "patience"}'
    const patient = await run(me, { url: at('/captioned.mp4'), schema })
    expect(patient.body.resultJson).to.deep.equal({ topic: 'patience' })
    const facts = await setting.history(patient.body.jobId)
    expect(facts.find(({ type }) => type === 'StepFailed')?.data).to.include({ step: 'extract', retryAfterSeconds: 2 })
    model.behaviour.reply = () => ({ status: 429, error: 'slow', headers: { 'retry-after': '600' } })
    expect((await run(me, { url: at('/captioned.mp4') })).body.error).to.include({ code: 'upstream_error' })
    expect((await run(me, { url: at('/notes.mp4') })).body.error).to.include({ code: 'media_unsupported' })
    expect(await me.credits()).to.equal(40)
  })

  it('leaves no key, no prompt and no field of a schema in the log, and every debit settled', async () => {
    for (const secret of [apiKey, 'secretly', '/topic must be']) expect(setting.service.output).to.not.contain(secret)
    await assertAddsUp(setting)
  })
})
