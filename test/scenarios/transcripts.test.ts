/** From a URL to a transcript, over HTTP: every mode, with and without captions, and what goes wrong on the way. */
import { expect } from 'chai'
import type { Readiness } from '#contracts/generated/http.ts'
import { madeForEach, openedForAll } from '#test/doubles/opened.ts'
import { audit } from '#test/doubles/service/audit.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { speechApiKey } from '#test/doubles/service/service.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { captionText } from '#test/doubles/world/media.ts'

const media = [
  'captioned.mp4',
  'captioned-srt.mkv',
  'speech.mp4',
  'speech.mp3',
  'mute.mp4',
  'silence.wav',
  'truncated.mp4',
]
const texts = ['notes.mp4', 'page.mp4', 'playlist.mp4', 'concat.mp4']

/** The fields of a log line that tests read. */
type LogLine = { msg: string; level: string; method?: string; bytes: number }

describe('transcripts', function () {
  this.timeout(120_000)
  const setting = openedForAll(() =>
    Setting.start({
      media: [...media, ...texts],
      files: {
        '/inward.mp4': (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/latest' }).end(),
        '/loop.mp4': (_, response) => response.writeHead(302, { location: '/loop.mp4' }).end(),
        '/locked.mp4': (_, response) => response.writeHead(403).end(),
        '/moved.mp4': (_, response) =>
          response.writeHead(302, { location: 'http://media.example.com/captioned.mp4' }).end(),
        '/flaky.mp4': (_, response) => {
          flaky += 1
          if (flaky <= 2) response.writeHead(503).end()
          else response.writeHead(302, { location: '/captioned.mp4' }).end()
        },
      },
    }),
  )
  let flaky = 0

  const me = madeForEach(() => setting.client())

  const starts = (segments: { start: number }[] | undefined) => segments?.map(({ start }) => start)
  const said = (segments: { text: string }[] | undefined) => segments?.map(({ text }) => text)

  it('native reads the subtitle track of a file, for 1 credit', async () => {
    const { status, body } = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
    expect(status).to.equal(200)
    expect(Object.keys(body)).to.have.members(['jobId', 'status', 'resultJson', 'error'])
    expect(body).to.include({ status: 'completed', error: null })
    expect(said(body.resultJson?.segments)).to.deep.equal(captionText.de)
    expect(body.resultJson?.segments.map(({ start, end }) => [start, end])).to.deep.equal([
      [0, 2],
      [2.5, 5],
    ])
    expect(body.resultJson).to.include({ source: 'captions', language: 'de' })
    expect(body.resultJson?.text).to.equal(captionText.de.join(' '))
    expect(await me.credits()).to.equal(49)
  })

  for (const file of ['/captioned.mp4', '/captioned-srt.mkv'])
    it(`lang chooses among the two tracks of ${file}`, async () => {
      const url = at(file)
      const [english, german, french] = await Promise.all(
        ['en-GB', 'de', 'fr'].map((lang) => me.run({ url, mode: 'native', lang })),
      )
      expect(english?.body.resultJson).to.include({ language: 'en' })
      expect(said(english?.body.resultJson?.segments)).to.deep.equal(captionText.en)
      expect(said(german?.body.resultJson?.segments)).to.deep.equal(captionText.de)
      expect(french?.body.resultJson, 'the default track, with its own language').to.include({ language: 'de' })
      expect(await me.credits()).to.equal(47)
    })

  it('native fails if there is no track, and costs nothing', async () => {
    const { status, body } = await me.run({ url: at('/speech.mp4'), mode: 'native' })
    expect(status).to.equal(200)
    expect(body).to.include({ status: 'failed', resultJson: null })
    expect(body.error).to.have.property('code', 'captions_unavailable')
    expect(await me.credits()).to.equal(50)
  })

  it('generate transcribes the sound, also if there is a track, for 5 credits', async () => {
    const files = ['/speech.mp4', '/captioned.mp4', '/speech.mp3']
    const ends = await Promise.all(files.map((file) => me.run({ url: at(file), mode: 'generate', lang: 'en' })))
    for (const { body } of ends) {
      expect(body.status).to.equal('completed')
      expect(body.resultJson).to.include({ source: 'speech' })
      expect(starts(body.resultJson?.segments)?.[0]).to.be.within(0, 0.5)
      expect(body.resultJson?.text).to.match(/^Sound 0\./)
    }
    expect(await me.credits()).to.equal(35)
    expect(setting.speech?.requests.at(-1)).to.include({ language: 'en', authorization: `Bearer ${speechApiKey}` })
  })

  it('auto takes captions if there are any, and refunds 4 credits', async () => {
    const { body } = await me.run({ url: at('/captioned.mp4'), lang: 'en' })
    expect(body.resultJson).to.include({ source: 'captions', text: captionText.en.join(' ') })
    expect(await me.credits()).to.equal(49)
  })

  it('auto transcribes the sound if there are none', async () => {
    const { body } = await me.run({ url: at('/speech.mp4'), mode: 'auto' })
    expect(body.resultJson).to.include({ source: 'speech' })
    expect(await me.credits()).to.equal(45)
  })

  it('a speech endpoint that fails is a warning of /ready, which stays 200, until it answers again', async () => {
    const endpoint = setting.speech ?? expect.fail('there is no speech endpoint')
    const generate = async (more: string) => (await me.run({ url: at(`/speech.mp3?${more}`), mode: 'generate' })).body
    // If the ingress is a process of its own, another process calls the endpoint. The warning is in that one's /ready.
    const codes = async () => {
      const { status, text } = await me.get('/ready')
      expect(status).to.equal(200)
      return (JSON.parse(text) as Readiness).warnings.map(({ code }) => code)
    }
    const warned = startScript === 'start' ? ['speech_endpoint_failing'] : []
    endpoint.behaviour = { fail: { times: 1, status: 401 } }
    expect((await generate('ill')).error).to.have.property('code', 'upstream_error')
    expect(await codes()).to.deep.equal(warned)
    endpoint.behaviour = {}
    expect(await generate('well')).to.include({ status: 'completed' })
    expect(await codes()).to.deep.equal([])
  })

  it('silence is no_speech, although the endpoint invents a sentence; refunded', async () => {
    const endpoint = setting.speech
    if (!endpoint) throw new Error('there is no endpoint')
    endpoint.behaviour.inventedText = 'Thank you for watching.'
    const ends = await Promise.all(
      ['/silence.wav', '/mute.mp4'].map((file) => me.run({ url: at(file), mode: 'generate' })),
    )
    endpoint.behaviour = {}
    for (const { body } of ends) {
      expect(body).to.include({ status: 'failed', resultJson: null })
      expect(body.error).to.have.property('code', 'no_speech')
    }
    expect(await me.credits()).to.equal(50)
  })

  it('a file that cannot be read fails with a reason, and is refunded', async () => {
    const reasons: Record<string, string> = {
      '/nothing.mp4': 'video_unavailable',
      '/locked.mp4': 'video_private',
      '/notes.mp4': 'media_unsupported',
      '/page.mp4': 'media_unsupported',
      '/playlist.mp4': 'media_unsupported',
      '/concat.mp4': 'media_unsupported',
      '/truncated.mp4': 'media_unsupported',
      '/inward.mp4': 'upstream_error',
      '/loop.mp4': 'upstream_error',
    }
    const ends = await Promise.all(
      Object.keys(reasons).map((file) => me.run({ url: at(file), mode: 'generate' }).then(({ body }) => [file, body])),
    )
    const codes = ends.map(([file, body]) => [file, (body as { error: { code: string } }).error?.code])
    expect(Object.fromEntries(codes)).to.deep.equal(reasons)
    expect(setting.world.refused, 'the guard let nothing inward through').to.deep.equal([])
    expect(await me.credits()).to.equal(50)
  })

  it('follows a redirect, and retries if a host fails for a moment', async () => {
    const ends = await Promise.all(
      ['/moved.mp4', '/flaky.mp4'].map((file) => me.run({ url: at(file), mode: 'native' })),
    )
    expect(ends.map(({ body }) => body.status)).to.deep.equal(['completed', 'completed'])
    expect(flaky).to.be.at.least(3)
  })

  it('leaves one log line for its request and one for itself, of at most 400 bytes, and none for polls until it has ended', async () => {
    // The longest id of a caller's own: its lines also have the span.
    const headers = { 'x-request-id': 'r'.repeat(64), 'user-agent': 'u'.repeat(200) }
    const jobs = [
      await me.enqueue({ url: at('/captioned.mp4?one-line'), mode: 'native' }, headers),
      await me.enqueue({ url: at('/nothing.mp4?one-line'), mode: 'generate' }, headers),
    ]
    for (const jobId of jobs) await me.get(`/v1/transcript/${jobId}`, headers)
    for (const jobId of jobs) await me.ended(jobId)
    const linesOf = (jobId: string) =>
      setting.service.output
        .split('\n')
        .filter((line) => line.includes(jobId) && line.startsWith('{'))
        .map((line) => ({ ...JSON.parse(line), bytes: Buffer.byteLength(line) }) as LogLine)
    for (const jobId of jobs) {
      // The end of a job is visible before it is settled, and an answer before its log line.
      const told = () => linesOf(jobId).map(({ msg, method, level }) => `${level} ${msg} ${method ?? ''}`.trim())
      const expected = ['info job', 'info request GET', 'info request POST']
      await until('all have their lines', async () => expected.every((line) => told().includes(line)))
      expect(told().sort()).to.deep.equal(expected)
      const lines = linesOf(jobId)
      const longest = lines.sort((one, other) => other.bytes - one.bytes)[0]
      expect(longest?.bytes, JSON.stringify(longest)).to.be.at.most(400)
    }
    const [completed, failed] = jobs.map((jobId) => linesOf(jobId).find(({ msg }) => msg === 'job'))
    expect(completed).to.include({ orgId: me.orgId, kind: 'transcript', mode: 'native', platform: 'direct' })
    expect(completed).to.include({ outcome: 'completed', charged: 1 })
    expect(failed).to.include({ outcome: 'video_unavailable', charged: 0 })
  })

  it('has no key, URL or transcript in its log', async () => {
    await me.run({ url: at('/captioned.mp4?token=top-secret'), mode: 'native' })
    await me.get(`/v1/metadata?url=${encodeURIComponent(at('/notes.mp4?token=top-secret'))}`)
    const secrets = [...setting.clients.map(({ key }) => key), speechApiKey, 'example.com/', 'top-secret', '.mp4']
    const log = setting.service.output
    expect(log).to.include(me.orgId).and.include('"msg":"job"')
    expect([...secrets, captionText.en[0] ?? '', 'Sound 0.'].filter((secret) => log.includes(secret))).to.deep.equal([])
  })

  it('adds up', async () => {
    const { complaints, balances } = audit(await setting.rest())
    expect(complaints).to.deep.equal([])
    expect(balances.size).to.be.at.least(setting.clients.length)
  })
})
