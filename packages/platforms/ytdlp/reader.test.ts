import { mkdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { node } from '#test/doubles/node.ts'
import { openedForAll, openedForEach } from '#test/doubles/opened.ts'
import { python } from '#test/doubles/python.ts'
import { scriptedRoute } from '#test/doubles/scripted-route.ts'
import { startSecuredWorld } from '#test/doubles/world/secured-world.ts'
import { startWorld, type WorldHandler } from '#test/doubles/world/world.ts'
import { createReader, type ReaderOptions } from './create-reader.ts'
import type { ReaderWish } from './reader.ts'

const never = new AbortController().signal
const cdn = 'v16-webapp-prime.tiktok.com'
const vtt = 'WEBVTT\n\n\n00:00:00.000 --> 00:00:02.000\nA kettle sings.\n'
const film = Buffer.alloc(6 * 1024 * 1024, 7)

/** An invented video in the shape of TikTok's pages. */
const page = (id: string, item: object, statusCode = 0): string => {
  const itemInfo = { itemStruct: { id, desc: 'A kettle that sings', createTime: '1767312000', ...item } }
  const scope = { 'webapp.video-detail': { itemInfo, statusCode, statusMsg: '' } }
  const data = JSON.stringify({ __DEFAULT_SCOPE__: scope })
  return `<!doctype html><script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${data}</script>`
}
const film720 = (url: string, size: number) => ({
  PlayAddr: { DataSize: String(size), UrlList: [url], UrlKey: 'v09_h264_720p_900000' },
})
const subtitle = (LanguageCodeName: string, Source: string) => ({
  LanguageCodeName,
  Source,
  Format: 'webvtt',
  Url: `https://${cdn}/captions/${LanguageCodeName}.vtt?sign=secret`,
})
const kettle = {
  author: { id: '1', uniqueId: 'kettles', nickname: 'Kettles' },
  stats: { diggCount: 5, shareCount: 2, commentCount: 1, playCount: 90 },
  video: {
    duration: 6,
    width: 720,
    height: 1280,
    bitrateInfo: [film720(`https://${cdn}/film.mp4?sign=secret`, film.length)],
    subtitleInfos: [subtitle('eng-US', 'ASR'), subtitle('spa-ES', 'MT')],
  },
}

/** A stand-in for the worker. `answer` is Python that answers a `request`; `last` is the last digit of its video. */
const standIn = (answer: string): string => `
import json, sys
def say(**words):
    print(json.dumps({"id": request["id"], **words}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    last = request["url"][-1]
${answer.trim().replaceAll(/^/gm, '    ')}
`

/** It finds no video, after as many warnings as `last` says. */
const warning = standIn(`
warnings = ["[TikTok] 7: TikTok went for a walk", "[youtube] 7: n challenge solving failed: Some formats may be missing."]
say(tell={"warnings": warnings[: int(last)]})
say(error="reader: no video in the post")
`)

/** It refuses for one of two reasons. */
const demanding = standIn(`
refusals = {"4": "This video is available to this channel's members on level: Fans", "5": "You must log in to continue"}
say(error=refusals[last])
`)

/** It dies, or reports one of two answers of the platform. */
const mortal = standIn(`
if last == "7": sys.exit(1)
say(error="This video is private" if last == "2" else "Unable to download webpage: Connection reset by peer")
`)

describe('the reader of videos', function () {
  this.timeout(60_000)
  const seen: { url: string; userAgent: string; cookie: string }[] = []
  let lines: string[]
  const files: Record<string, Buffer | WorldHandler> = {}
  const world = openedForAll(() => startSecuredWorld({ files, hosts: ['www.tiktok.com', cdn] }))

  const note = (request: IncomingMessage) =>
    seen.push({
      url: `${request.headers.host}${request.url}`,
      userAgent: request.headers['user-agent'] ?? '',
      cookie: request.headers.cookie ?? '',
    })
  const put = (path: string, body: string | Buffer, status = 200) => {
    files[path] = (request, response) => {
      note(request)
      response
        .writeHead(status, {
          'set-cookie': 'session=1; Domain=.tiktok.com; Path=/',
          'content-length': Buffer.byteLength(body),
        })
        .end(body)
    }
  }
  const wishFor = (id: string, proxyUrl = world.proxyUrl): ReaderWish => ({
    canonicalUrl: `https://www.tiktok.com/@kettles/video/${id}`,
    platform: 'tiktok',
    route: { ...scriptedRoute(() => undefined), proxyUrl },
    signal: never,
  })
  const folder = (name: string): string => {
    const path = join(world.directory, name)
    mkdirSync(path)
    return path
  }
  const open = (options: Partial<ReaderOptions> = {}) => {
    const kept = keptLog()
    lines = kept.lines
    const ports = { clock: instantClock(), log: kept.log, telemetry: noTelemetry }
    const directory = folder(`reader-${Math.random()}`)
    return createReader({ ...ports, python, node, directory, caFile: world.caFile, ...options })
  }
  const openScript = async (text: string, options: Partial<ReaderOptions> = {}) => {
    const script = join(folder(`script-${Math.random()}`), 'worker.py')
    await writeFile(script, text)
    return open({ script, ...options })
  }

  before(() => {
    put('/@kettles/video/7100000000000000001', page('7100000000000000001', kettle))
    put('/@kettles/video/7100000000000000002', page('7100000000000000002', {}, 10_216))
    put('/@kettles/video/7100000000000000003', 'slow down', 429)
    put('/captions/eng-US.vtt', vtt)
    files['/film.mp4'] = (request, response) => {
      note(request)
      response.writeHead(200, { 'content-length': film.length }).end(film)
    }
  })
  beforeEach(() => {
    seen.length = 0
    world.requests.length = 0
  })
  const reader = openedForEach(async () => open())

  const id = '7100000000000000001'
  const english = { language: 'eng-US', automatic: true, ext: 'vtt' }
  const pagesRead = () => seen.filter(({ url }) => url.startsWith('www.'))

  it('reads the info of a video with the real yt-dlp, through the proxy, and trusts the given authority', async () => {
    const info = await reader.info(wishFor(id))
    expect(info).to.include({
      id,
      channel: 'Kettles',
      uploader: 'kettles',
      viewCount: 90,
      likeCount: 5,
      repostCount: 2,
    })
    expect(info.durationSeconds).to.equal(6)
    expect(info.formats).to.deep.include.members([
      { ...info.formats[0], formatId: 'h264_720p_900000', ext: 'mp4', bytes: film.length, protocol: 'https' },
    ])
    expect(world.requests).to.include(`https://www.tiktok.com/@kettles/video/${id}`)
    expect(world.refused).to.deep.equal([])
  })

  it("distinguishes TikTok's recognised, translated and human captions", async () => {
    expect((await reader.info(wishFor(id))).captions).to.deep.equal([
      { language: 'eng-US', automatic: true, ext: 'vtt', translated: false },
      { language: 'spa-ES', automatic: true, ext: 'vtt', translated: true },
    ])
  })

  it('downloads captions and media once, with the same worker, headers and cookies that resolved them', async () => {
    const info = await reader.info(wishFor(id))
    const [worker] = reader.pids
    expect(await reader.captions(wishFor(id), english)).to.equal(vtt)
    expect(
      seen.some(({ url }) => url.includes('film.mp4')),
      'captions never fetch media',
    ).to.equal(false)
    const path = join(world.directory, 'film.bin')
    const reserved: number[] = []
    const reserve = async (bytes: number) => void reserved.push(bytes)
    await reader.media(wishFor(id), { formatId: formatOf(info), path, maxBytes: 1e8, reserve })
    expect((await readFile(path)).equals(film)).to.equal(true)
    expect(reserved.reduce((sum, bytes) => sum + bytes)).to.equal(film.length)
    expect(reader.pids).to.deep.equal([worker])
    expect(pagesRead()).to.have.length(1)
    const [first, ...others] = seen
    for (const one of others) expect(one.cookie).to.include('session=1')
    expect(first?.userAgent).to.include('Mozilla/5.0')
    expect(lines.join()).to.not.include('secret')
  })

  it('resolves again what was evicted or has expired', async () => {
    await reader.info(wishFor(id))
    let refusals = 0
    const serve = files['/captions/eng-US.vtt'] as WorldHandler
    files['/captions/eng-US.vtt'] = (request, response) => {
      if (refusals++ > 0) return serve(request, response)
      response.writeHead(403).end()
    }
    expect(await reader.captions(wishFor(id), english)).to.equal(vtt)
    files['/captions/eng-US.vtt'] = serve
    expect(pagesRead()).to.have.length(2)
    await using other = open()
    expect(await other.captions(wishFor(id), english)).to.equal(vtt)
  })

  it('reads the info of a video again each time, as the retry after missing captions needs', async () => {
    const path = '/@kettles/video/7100000000000000006'
    const video = { ...kettle.video, subtitleInfos: [] }
    put(path, page('7100000000000000006', { ...kettle, video }))
    expect((await reader.info(wishFor('7100000000000000006'))).captions).to.deep.equal([])
    put(path, page('7100000000000000006', kettle))
    expect((await reader.info(wishFor('7100000000000000006'))).captions).to.have.length(2)
  })

  it('ends a download that is too large or finds no room, and leaves only its file', async () => {
    const formatId = formatOf(await reader.info(wishFor(id)))
    const asked = { formatId, path: join(folder('downloads'), 'a.bin'), reserve: async () => {} }
    expect(await failureOf(reader.media(wishFor(id), { ...asked, maxBytes: 1000 }))).to.include({
      code: 'media_too_large',
    })
    const full = new StepError('internal_error', { transient: true, message: 'no room' })
    const refusing = { ...asked, maxBytes: 1e8, reserve: () => Promise.reject(full) }
    expect(await failureOf(reader.media(wishFor(id), refusing))).to.equal(full)
    expect(
      seen.filter(({ url }) => url.includes('film.mp4')),
      'refused before any request',
    ).to.deep.equal([])
    expect(await reader.info(wishFor(id)), 'the worker lives on').to.include({ id })
  })

  it('gives the reason of a refusal', async () => {
    expect(await failureOf(reader.info(wishFor('7100000000000000002')))).to.include({ code: 'video_private' })
    expect(await failureOf(reader.info(wishFor('7100000000000000003')))).to.include({
      code: 'platform_blocked',
      transient: true,
    })
  })

  it('starts a new yt-dlp, without the old cookies, once the platform has refused it', async () => {
    await reader.info(wishFor(id))
    await failureOf(reader.info(wishFor('7100000000000000003')))
    seen.length = 0
    await reader.info(wishFor(id))
    expect(pagesRead().map(({ cookie }) => cookie)).to.deep.equal([''])
    expect(reader.pids).to.have.length(1)
  })

  it('keeps what it has resolved when one page is forbidden, and drops it after too many requests', async () => {
    const readCaptionsAfter = async (status: number) => {
      put('/@refusing', 'no', status)
      await reader.info(wishFor(id))
      const asked = { url: 'https://www.tiktok.com/@refusing', follow: true, maxBytes: 1000 }
      expect((await reader.page({ ...wishFor(id), ...asked })).status).to.equal(status)
      seen.length = 0
      await reader.captions(wishFor(id), english)
      return pagesRead().length
    }
    expect(await readCaptionsAfter(403)).to.equal(0)
    expect(await readCaptionsAfter(429)).to.equal(1)
  })

  it('does not use results of one egress route on another', async () => {
    await using elsewhere = await startWorld({ files: {} })
    await reader.info(wishFor(id))
    expect(await failureOf(reader.info(wishFor(id, elsewhere.proxyUrl)))).to.include({ code: 'upstream_error' })
    expect(elsewhere.refused).to.include('www.tiktok.com:443')
    expect(reader.pids, 'a worker of its own while there is room').to.have.length(2)
  })

  it('trusts only authorities that it was given, with any client of yt-dlp', async () => {
    await using stranger = open({ caFile: undefined })
    const error = await failureOf(stranger.info(wishFor(id)))
    expect(error.code).to.equal('upstream_error')
    expect(String(error.cause)).to.match(/certificate/i)
    expect(world.requests).to.deep.equal([])
  })

  it('passes only our canonical URLs to yt-dlp', async () => {
    for (const canonicalUrl of [
      'ytsearch5:cats',
      'http://127.0.0.1/x',
      'https://vimeo.com/1',
      'https://www.tiktok.com/@kettles',
    ])
      expect(await failureOf(reader.info({ ...wishFor(id), canonicalUrl }))).to.include({
        code: 'media_unsupported',
      })
    expect(reader.pids).to.deep.equal([])
  })

  it('rests an account after two demands to sign in, but not after videos for members only', async () => {
    const cookiesDirectory = folder('members')
    await writeFile(join(cookiesDirectory, 'tiktok.txt'), '')
    await using ours = await openScript(demanding, { cookiesDirectory })
    const askTwice = async (id: string) => {
      for (const _ of [1, 2])
        expect(await failureOf(ours.info(wishFor(id)))).to.include({ code: 'login_required', transient: false })
      return ours.restingAccounts.map(({ platform }) => platform)
    }
    expect(await askTwice('7100000000000000004')).to.deep.equal([])
    expect(await askTwice('7100000000000000005')).to.deep.equal(['tiktok'])
  })

  it('treats as unknown whatever yt-dlp warns may be missing, and logs warnings without a decision', async () => {
    await using ours = await openScript(warning)
    const failing = (id: string) => failureOf(ours.info(wishFor(id)))
    expect(await failing('7100000000000000001')).to.include({ code: 'media_unsupported', transient: false })
    expect(lines.join()).to.contain('TikTok went for a walk')
    expect(await failing('7100000000000000002')).to.include({ code: 'platform_blocked', transient: true })
  })

  it('warns if a platform, or yt-dlp itself, gives no answer three times in a row, until it does', async () => {
    await using ours = await openScript(mortal)
    const codesAfter = async (last: number): Promise<string[]> => {
      await failureOf(ours.info(wishFor(`710000000000000000${last}`)))
      return ours.health.warnings.map(({ code }) => code)
    }
    expect([await codesAfter(1), await codesAfter(1)]).to.deep.equal([[], []])
    expect(await codesAfter(1)).to.deep.equal(['platform_unanswered'])
    expect(ours.health.warnings[0]?.message).to.match(
      /^tiktok does not answer yt-dlp: 3 calls in a row have failed since \S+/,
    )
    expect(await codesAfter(2), 'an answer').to.deep.equal([])
    expect([await codesAfter(7), await codesAfter(7)]).to.deep.equal([[], []])
    expect(await codesAfter(7)).to.deep.equal(['ytdlp_failing'])
    expect(await codesAfter(2)).to.deep.equal([])
  })

  it('uses a copy of the operator’s cookies and never writes them', async () => {
    const cookiesDirectory = folder('cookies')
    const file = join(cookiesDirectory, 'tiktok.txt')
    const text = '# Netscape HTTP Cookie File\n\n.tiktok.com\tTRUE\t/\tTRUE\t4000000000\taccount\tours\n'
    await writeFile(file, text)
    await using ours = open({ cookiesDirectory })
    await ours.info(wishFor(id))
    expect(seen[0]?.cookie).to.include('account=ours')
    await ours[Symbol.asyncDispose]()
    expect(await readFile(file, 'utf8')).to.equal(text)
  })
})

const formatOf = ({ formats }: { formats: { formatId: string; vcodec: string | null }[] }): string =>
  formats.find(({ vcodec }) => vcodec !== 'none')?.formatId ?? ''
