/** The operator's daily caps over HTTP, reached by real jobs. */
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import type { Estimate } from '#contracts/generated/http.ts'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { audit } from '#test/doubles/service/audit.ts'
import type { Answer, Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { joinedSpeech } from '#test/doubles/speech/recordings.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

/** More than a minute of speech. */
async function longSpeech(): Promise<Buffer> {
  await using directory = await temporaryDirectory()
  const { path } = await joinedSpeech(directory.path, 61)
  return readFile(path)
}

/** Waits until the ingress has read the count, which takes a second. Estimates add nothing to the count; jobs would. */
const whenRefused = (me: Client, request: object): Promise<unknown> =>
  until(
    'such jobs are refused',
    async () => {
      const { refusal } = (await me.post('/v1/estimate', request)).body as Partial<Estimate>
      return refusal?.status === 503
    },
    { everyMs: 200 },
  )

const secondsToMidnight = (): number => (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000

/** Asserts that a refusal names its cap and has Retry-After until midnight UTC. */
function expectRefusal({ status, body, headers }: Answer, variable: string): void {
  expect([status, body.error]).to.deep.equal([503, 'unavailable'])
  expect(body.message)
    .to.contain(variable)
    .and.to.match(/from \d{4}-\d\d-\d\dT00:00:00Z on/)
  expect(Number(headers.get('retry-after'))).to.be.closeTo(secondsToMidnight(), 60)
}

const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }

describe('a daily cap', function () {
  this.timeout(180_000)
  // The day may end in the middle of a test. Then the count starts again at 0, as it should.
  this.retries(1)
  const model = openedForAll(() => startChatEndpoint())
  const setting = openedForAll(async () => {
    const held = (_: unknown, response: ServerResponse) =>
      void accepted.promise.then(() => response.writeHead(302, { location: '/long.wav' }).end())
    return Setting.start({
      media: ['captioned.mp4', 'speech.mp4'],
      files: { '/long.wav': await longSpeech(), '/held.wav': held },
      env: { LLM_BASE_URL: model.baseUrl, LLM_TOKENS_PER_DAY: '600', SPEECH_MINUTES_PER_DAY: '1', LLM_MAX_FRAMES: '1' },
    })
  })
  /** `/held.wav` is answered once a test has accepted all the jobs that it wants. */
  let accepted: PromiseWithResolvers<void>
  beforeEach(() => {
    model.requests.length = 0
    accepted = Promise.withResolvers()
  })

  it('on tokens is reached by failed and successful extractions, once events have their usage, and spares transcripts', async () => {
    // The stand-in counts 120 tokens for each answer. The failed extraction asks for three answers, the others for one
    // each.
    const me = await setting.client({ plan: 'pro' })
    const request = { url: at('/captioned.mp4'), prompt: 'What is it about?', schema }
    const extract = () => me.post('/v1/extract', request)
    model.behaviour.reply = () => '{"topic": "captions"}'
    for (const _ of [1, 2]) expect(await extracted(me, await extract())).to.deep.equal({ topic: 'captions' })
    model.behaviour.reply = () => 'no topic'
    const { body } = await extract()
    expect((await me.ended(body.jobId ?? '', '/v1/extract')).body.status).to.equal('failed')
    expect(model.requests).to.have.length(5)
    // Such a failure is also unpaid: a tenth of the cap for unpaid ones is reached too, and may be read first.
    await whenRefused(me, request)
    await until('the whole is counted', async () => /used up \(LLM_TOKENS/.test((await extract()).body.message ?? ''))
    expectRefusal(await extract(), 'LLM_TOKENS_PER_DAY')
    expect((await me.run({ url: at('/speech.mp4'), mode: 'generate' })).body.status).to.equal('completed')
    expectRefusal(await extract(), 'LLM_TOKENS_PER_DAY')
    expect(model.requests).to.have.length(5)
    expect(audit(await setting.rest()).complaints).to.deep.equal([])
  })

  it('on speech is reached by transcriptions, survives a restart and a rebuild, and spares captions', async () => {
    const me = await setting.client({ plan: 'pro' })
    // Each further try requests a film that was not transcribed before.
    const generate = { url: at(`/held.wav?of=${me.orgId}`), mode: 'generate' }
    const short = { url: at('/speech.mp4'), mode: 'generate' }

    // Both are accepted before the film is sent: the second goes on, although the first has reached the cap.
    const key = { 'idempotency-key': 'long' }
    const both = [await me.enqueue(generate, key), await me.enqueue({ ...generate, lang: 'en' })]
    accepted.resolve()
    for (const jobId of both) expect((await me.ended(jobId)).body.status).to.equal('completed')
    await whenRefused(me, short)

    // Counts of requests are recorded at any time.
    const isOfWork = ({ stream }: { stream: string }): boolean => !stream.startsWith('requests-')
    const before = (await setting.rest()).filter(isOfWork)
    const credits = await me.credits()
    const refuses = async (): Promise<void> => {
      for (const request of [short, { url: at('/captioned.mp4') }])
        expectRefusal(await me.transcript(request), 'SPEECH_MINUTES_PER_DAY')
      const again = await me.transcript(generate, key)
      expect([again.status, again.body.jobId], 'a repeat').to.deep.equal([202, both[0]])
      expect((await (await setting.backDoor()).events()).filter(isOfWork)).to.deep.equal(before)
      expect(await me.credits()).to.equal(credits)
    }
    await refuses()
    await setting.service.printed('projections', 'rebuild')
    await refuses()
    await setting.closeBackDoor()
    await setting.service.end('SIGKILL')
    await setting.service.start()
    await until('it is ready', async () => (await me.get('/ready')).status === 200)
    await refuses()

    const captions = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
    expect(captions.body.resultJson).to.include({ source: 'captions' })
    expect(setting.service.output).to.contain('a daily cap is reached')
    expect(audit(await setting.rest()).complaints).to.deep.equal([])
  })
})

/** The result of an extraction that was accepted. */
async function extracted(me: Client, { status, body, text }: Answer): Promise<unknown> {
  expect(status, text).to.equal(202)
  return (await me.ended(body.jobId ?? '', '/v1/extract')).body.resultJson
}
