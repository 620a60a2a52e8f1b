import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import validators from '#contracts/generated/validators.cjs'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { anyLanguage } from '#packages/content/captions/language.ts'
import { Launcher } from '#packages/content/media/launcher.ts'
import { openMediaCache } from '#packages/content/media/media-cache.ts'
import { openEgress } from '#packages/egress/egress.harness.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { directoryForEach, temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { untold } from '#test/doubles/untold.ts'
import { captionText, makeMedia } from '#test/doubles/world/media.ts'
import { startWorld, type WorldHandler } from '#test/doubles/world/world.ts'
import type { VideoSource } from '../videos/video-source.ts'
import { createDirect } from './create-direct.ts'
import { directTools } from './direct-tools.ts'

const made = [
  'speech.mp4',
  'speech.mp3',
  'titled.mp4',
  'mute.mp4',
  'captioned.mp4',
  'captioned-srt.mkv',
  'captioned-webvtt.mkv',
  'captioned-ass.mkv',
  'notes.mp4',
]

describe('direct media files', function () {
  this.timeout(60_000)
  const launcher = new Launcher()
  after(() => launcher[Symbol.asyncDispose]())
  let telemetry: RecordingTelemetry
  const signal = new AbortController().signal
  const reading = { owner: 'a job', refusals: 0, signal }
  const directory = directoryForEach()
  let media: Record<string, Buffer>
  let platform: VideoSource
  /** The files that were probed, in their directories of one use. */
  let probed: string[]

  before(async () => {
    await using source = await temporaryDirectory()
    await makeMedia(source.path, ...made)
    media = Object.fromEntries(
      await Promise.all(made.map(async (name) => [`/${name}`, await readFile(join(source.path, name))] as const)),
    )
  })
  const answer =
    (status: number, headers: Record<string, string> = {}, body: Buffer | string = ''): WorldHandler =>
    (_, response) =>
      void response.writeHead(status, headers).end(body)
  const world = openedForEach(() => {
    const speech = media['/speech.mp4'] ?? expect.fail()
    return startWorld({
      files: {
        ...media,
        '/': speech,
        '/signed': speech,
        '/download': answer(200, { 'content-disposition': 'attachment; filename="My talk.mp4"' }, speech),
        ...Object.fromEntries([400, 401, 403, 410, 503].map((status) => [`/${status}`, answer(status)])),
        '/429': answer(429, { 'retry-after': '7' }),
        '/moved': answer(302, { location: 'http://media.example.com/speech.mp4' }),
        '/inward': answer(302, { location: 'http://169.254.169.254/latest/meta-data' }),
        '/loop': answer(302, { location: '/loop' }),
        '/file-as-page': answer(200, { 'content-type': 'text/html' }, speech),
        '/page': (_, response) => {
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).write('\n\n')
          setImmediate(() => response.write('<div>A page that never ends</div>'))
        },
        '/page-as-film': (_, response) =>
          void response
            .writeHead(200, { 'content-type': 'video/mp4' })
            .write('<!-- x --><!DOCTYPE html><p>sign in</p>'),
        '/short': (_, response) => {
          response.writeHead(200, { 'content-length': 1000 })
          response.write('begun', () => response.destroy())
        },
        '/stored': answer(200, { 'content-encoding': 'gzip' }, gzipSync(speech)),
        '/via-503': answer(302, { location: 'http://media.example.com/503' }),
        '/to-503': answer(302, { location: '/503' }),
        '/hang': (_, response) => void response.writeHead(200).write('begun'),
        '/drip': (_, response) => {
          const dripping = setInterval(() => response.write('x'), 20)
          response.on('close', () => clearInterval(dripping))
        },
        '/endless': (_, response) => {
          const more = () => {
            while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          }
          response.on('drain', more)
          more()
        },
      },
    })
  })
  const egress = openedForEach(() => openEgress({ proxy: world.proxyUrl, readTimeoutMs: 2000 }))
  beforeEach(async () => {
    const tools = directTools(launcher)
    probed = []
    const cache = await openMediaCache({ directory: directory.path, clock: systemClock, ids: systemIds })
    telemetry = new RecordingTelemetry()
    platform = createDirect({
      routeOf: () => ({ egress, via: 'direct', address: 'direct' }),
      tools: {
        ...tools,
        probe: (path, options) => {
          probed.push(path)
          return tools.probe(path, options)
        },
      },
      telemetry,
      cache,
      clock: systemClock,
      maxBytes: 20_000_000,
      maxSeconds: 7_200,
      paceSeconds: 1,
    })
  })

  const at = (path: string) => `http://cdn.example.com${path}`
  const look = (path: string) => platform.fetch(at(path), reading)
  const captions = async (path: string, lang: string | null, strictLang = false) =>
    platform.captions(at(path), { ...anyLanguage, lang, strictLang, words: true, video: await look(path), ...reading })

  it('describes a film in the fields of the contract', async () => {
    const video = await look('/captioned.mp4')
    expect(validators['events/VideoFetched.v1.json']?.(video)).to.equal(true)
    expect(video).to.deep.include({
      canonicalUrl: at('/captioned.mp4'),
      platform: 'direct',
      metadata: { ...untold, title: 'captioned' },
      liveState: 'none',
      captionTracks: [
        { language: 'de', source: 'human', format: 'mov_text' },
        { language: 'en', source: 'human', format: 'mov_text' },
      ],
    })
    expect(video.durationSeconds).to.be.closeTo(6, 0.1)
    expect(video.formats[0]).to.include({ container: 'mp4', hasAudio: true, hasVideo: true, width: 320, height: 180 })
  })

  it('requests the whole URL and keeps its query out of the event', async () => {
    const video = await look('/signed?token=a%2Fb&expires=1')
    expect(world.requests).to.deep.equal([at('/signed?token=a%2Fb&expires=1')])
    expect(JSON.stringify(video)).to.not.contain('token')
  })

  it('takes the title from the tags, the download name or the URL', async () => {
    expect((await look('/titled.mp4')).metadata).to.include({ title: 'A sensible title', author: 'Jane Austen' })
    expect((await look('/download')).metadata.title).to.equal('My talk')
    expect((await look('/download')).metadata.title, 'from the cache').to.equal('My talk')
    expect((await look('/speech.mp3')).metadata.title).to.equal('speech')
  })

  it('answers metadata with every field of the specification', async () => {
    const { duration, ...rest } = (await platform.metadata(at('/speech.mp4'), reading)).metadata
    expect(rest).to.deep.equal({
      ...untold,
      title: 'speech',
      platform: 'direct',
      isLive: null,
    })
    expect(duration).to.be.closeTo(6, 0.1)
    expect((await platform.metadata(at('/'), reading)).metadata.title).to.equal('cdn.example.com')
    const include = ['captions', 'chapters'] as const
    expect((await platform.metadata(at('/captioned.mp4'), { ...reading, include })).metadata).to.deep.include({
      captions: ['de', 'en'].map((language) => ({ language, source: 'captions' })),
      chapters: null,
    })
  })

  for (const name of ['/captioned.mp4', '/captioned-srt.mkv', '/captioned-webvtt.mkv', '/captioned-ass.mkv']) {
    it(`reads the subtitles of ${name} in the requested language, with times`, async () => {
      const english = await captions(name, 'en-GB')
      expect(validators['events/CaptionsRead.v1.json']?.(english)).to.equal(true)
      expect(english).to.include({ language: 'en', source: 'human', engine: 'ffmpeg', model: null })
      expect(english?.segments).to.deep.equal([
        { start: 0, end: 2, text: captionText.en[0] },
        { start: 2.5, end: 5, text: captionText.en[1] },
      ])
      const german = await captions(name, null)
      expect([german?.language, german?.segments.map(({ text }) => text)]).to.deep.equal(['de', captionText.de])
    })
  }

  it('reports that there are no captions without another request', async () => {
    expect(await captions('/speech.mp4', null)).to.equal(undefined)
    expect(world.requests).to.have.length(1)
  })

  it('downloads once for all steps, and again after the cache was emptied', async () => {
    await look('/captioned.mp4')
    await captions('/captioned.mp4', 'en')
    expect(world.requests).to.have.length(1)
    await rm(directory.path, { recursive: true })
    await using file = await platform.openMedia(at('/captioned.mp4'), { ...reading, want: 'audio', lang: null })
    expect([file.bytes, world.requests.length]).to.deep.equal([media['/captioned.mp4']?.length, 2])
    const download = { 'video.platform': 'direct', 'video.operation': 'media', 'video.outcome': 'ok' }
    const reads = telemetry.valuesOf(metrics.readDuration).map(({ attributes }) => attributes)
    const read = { ...download, 'video.egress.route': 'direct' }
    expect(reads).to.deep.equal([read, read])
  })

  it('probes a file once for all steps, and one that cannot be read for each of them', async () => {
    for (let n = 0; n < 2; n++) expect(await captions('/captioned.mp4', 'en')).to.include({ engine: 'ffmpeg' })
    expect(probed).to.have.length(1)
    for (let n = 0; n < 2; n++)
      expect(await look('/notes.mp4').catch((error) => error)).to.include({ code: 'media_unsupported' })
    expect(probed).to.have.length(1 + 3)
    expect(world.requests).to.have.length(2)
  })

  it('follows a redirect to another public host', async () => {
    const reads: object[] = []
    const noted = { ...reading, onRead: (from: object) => void reads.push(from) }
    expect((await platform.fetch(at('/moved'), noted)).formats).to.have.length(1)
    expect(world.requests).to.deep.equal([at('/moved'), 'http://media.example.com/speech.mp4'])
    await platform.fetch(at('/moved'), noted)
    const read = { domain: 'example.com', exit: 'direct' }
    expect(reads, 'each request, and none for what is cached').to.deep.equal([read, read])
  })

  for (const [path, code, transient] of [
    ['/absent', 'video_unavailable', false],
    ['/401', 'login_required', false],
    ['/403', 'video_private', false],
    ['/503', 'upstream_error', true],
    ['/410', 'video_unavailable', false],
    ['/400', 'upstream_error', false],
    ['/inward', 'upstream_error', false],
    ['/loop', 'upstream_error', false],
    ['/short', 'upstream_error', true],
    ['/page', 'media_unsupported', false],
    ['/page-as-film', 'media_unsupported', false],
    ['/hang', 'upstream_error', true],
    ['/drip', 'upstream_error', true],
    ['/endless', 'media_too_large', false],
    ['/notes.mp4', 'media_unsupported', false],
  ] as const) {
    it(`${path} ends with ${code}`, async () => {
      const error = await look(path).catch((error) => error)
      expect(error).to.include({ name: 'StepError', code, transient })
      expect(world.refused).to.deep.equal([])
    })
  }

  it('explains circular redirects, a truncated body, a web page and a bad request', async () => {
    const told: Record<string, RegExp> = {
      '/loop': /redirects too often/,
      '/short': /cut it off/,
      '/page': /a web page: send a video of YouTube, .* or a direct media file/,
      '/400': /answered 400/,
    }
    for (const [path, words] of Object.entries(told))
      expect((await look(path).catch((error) => error)).message, path).to.match(words)
  })

  it('reads a film with the content type of a page, and one that its host compressed', async () => {
    for (const path of ['/file-as-page', '/stored']) expect((await look(path)).formats, path).to.have.length(1)
  })

  it('counts the requests of an attempt to the host that received most of them, redirects included', async () => {
    expect(await look('/503').catch((error) => error)).to.include({ requests: 1 })
    expect(await look('/to-503').catch((error) => error)).to.include({ code: 'upstream_error', requests: 2 })
    expect(await look('/via-503').catch((error) => error)).to.include({ code: 'upstream_error', requests: 1 })
  })

  it('makes no request once an owner has used up its attempts, and still serves from the cache', async () => {
    const exhausted = { ...reading, exhausted: true }
    const error = await platform.fetch(at('/speech.mp4'), exhausted).catch((error) => error)
    expect(error).to.include({ code: 'upstream_error', transient: true })
    expect(world.requests).to.deep.equal([])
    await look('/speech.mp4')
    expect((await platform.fetch(at('/speech.mp4'), exhausted)).formats).to.have.length(1)
    expect(world.requests).to.have.length(1)
  })

  it('requests a URL that redirects to itself once', async () => {
    await look('/loop').catch(() => undefined)
    expect(world.requests).to.deep.equal([at('/loop')])
  })

  it('passes on the wait that a 429 requests', async () => {
    expect(await look('/429').catch((error) => error)).to.include({ transient: true, retryAfterSeconds: 7 })
  })

  it('ends with a transient error when nothing listens at the address', async () => {
    await world.close()
    expect(await look('/speech.mp4').catch((error) => error)).to.include({ code: 'upstream_error', transient: true })
  })

  it('stops with the reason of its signal', async () => {
    const reason = new Error('the claim is lost')
    const abort = new AbortController()
    const looking = platform.fetch(at('/hang'), { ...reading, signal: abort.signal })
    abort.abort(reason)
    expect(await looking.catch((error) => error)).to.equal(reason)
  })

  it('shares a file with a query in its URL, maybe a signature, only within its organization', async () => {
    const readers = [
      { owner: 'a job', organization: 'one' },
      { owner: 'its next job', organization: 'one' },
      { owner: 'a job of theirs', organization: 'another' },
      { owner: 'an operator' },
      { owner: 'an operator' },
      { owner: 'another operator' },
    ]
    const asked: number[] = []
    for (const reader of readers) {
      const before = world.requests.length
      for (const path of ['/signed?token=1', '/speech.mp4']) await platform.fetch(at(path), { ...reading, ...reader })
      asked.push(world.requests.slice(before).length)
    }
    expect(asked).to.deep.equal([2, 0, 1, 1, 0, 1])
    await platform.fetch(at('/signed?token=2'), { ...reading, ...readers[0] })
    expect(world.requests.at(-1), 'another signature').to.equal(at('/signed?token=2'))
  })
})
