import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { makeMedia, mediaNames } from '#test/doubles/world/media.ts'
import { decodeAudio } from './decode-audio.ts'
import { ffmpeg } from './ffmpeg.ts'
import { Launcher } from './launcher.ts'
import { probe } from './probe.ts'

describe('reading media files', function () {
  this.timeout(60_000)
  const signal = new AbortController().signal
  const launcher = new Launcher()
  let directory: string
  const at = (name: string) => join(directory, name)
  const codeOf = async (running: Promise<unknown>) => (await failureOf(running)).code

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'probe-'))
    await makeMedia(directory, ...mediaNames)
  })
  after(async () => {
    await launcher[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  it('returns container, duration and streams of a film with two subtitle tracks', async () => {
    const film = await probe(at('captioned.mp4'), { launcher, signal })
    expect(film.container).to.equal('mp4')
    expect(film.seconds).to.be.closeTo(6, 0.1)
    expect(film.streams.map(({ kind, language }) => [kind, language])).to.deep.equal([
      ['video', 'und'],
      ['audio', 'und'],
      ['subtitle', 'ger'],
      ['subtitle', 'eng'],
    ])
    expect(film.streams[0]).to.include({ width: 320, height: 180 })
  })

  for (const [name, container] of [
    ['speech.mp3', 'mp3'],
    ['speech.aac', 'aac'],
    ['speech.flac', 'flac'],
    ['speech.ogg', 'ogg'],
    ['live.webm', 'matroska'],
  ] as const) {
    it(`measures the duration of ${name}, stated or not`, async () => {
      const sound = await probe(at(name), { launcher, signal })
      expect(sound.container).to.equal(container)
      expect(sound.seconds).to.be.closeTo(7.1, 0.2)
    })
  }

  for (const name of ['notes.mp4', 'page.mp4', 'truncated.mp4', 'playlist.mp4', 'concat.mp4', 'en.srt']) {
    it(`${name} is not media, for probing and for decoding`, async () => {
      expect(await codeOf(probe(at(name), { launcher, signal }))).to.equal('media_unsupported')
      const decoding = decodeAudio(at(name), at('out.wav'), { launcher, signal, timeoutMs: 10_000 })
      expect(await codeOf(decoding)).to.equal('media_unsupported')
    })
  }

  for (const [name, what] of [
    ['clip.avi', /a file of type avi\..*MP4, MOV, WebM/],
    ['clip.flv', /a file of type flv/],
    ['clip.ts', /a file of type mpeg-2 ts|a file of type (?:mts|ts)/],
    ['playlist.mp4', /an HLS playlist/],
    ['page.mp4', /a web page/],
    ['truncated.mp4', /a damaged or incomplete mp4 file/],
  ] as const) {
    it(`says what an unreadable ${name} is`, async () => {
      const made = ['-nostdin', '-v', 'error', '-n', '-i', at('speech.mp4'), '-t', '1', '-ar', '44100', at(name)]
      if (name.startsWith('clip')) execFileSync('ffmpeg', made, { stdio: 'ignore' })
      expect((await probe(at(name), { launcher, signal }).catch((error) => error)).message).to.match(what)
    })
  }

  for (const name of ['playlist.mp4', 'concat.mp4']) {
    it(`a file named in ${name} is not opened, although plain ffmpeg opens it`, async () => {
      const bare = ['-nostdin', '-v', 'error', '-y', '-i', at(name), '-f', 'wav', at('bare.wav')]
      execFileSync('ffmpeg', bare, { stdio: 'ignore' })
      expect((await stat(at('bare.wav'))).size).to.be.above(100_000)
      const args = ['-i', at(name), '-f', 'wav', at('guarded.wav')]
      const stderr = await ffmpeg({ launcher, args, cwd: directory, signal, timeoutMs: 10_000 }).catch(
        (error) => error.stderr,
      )
      expect(stderr).to.match(/not on whitelist|Invalid data/i)
      expect(await stat(at('guarded.wav')).catch((error) => error.code)).to.equal('ENOENT')
    })
  }

  it('refuses media that are too long, or have too large a picture', async () => {
    expect(await codeOf(probe(at('speech.mp4'), { launcher, signal, maxSeconds: 3 }))).to.equal('media_too_long')
    expect(await codeOf(probe(at('live.webm'), { launcher, signal, maxSeconds: 3 }))).to.equal('media_too_long')
    expect(await codeOf(probe(at('speech.mp4'), { launcher, signal, maxPixels: 1000 }))).to.equal('media_unsupported')
  })

  it('decodes the sound to 16 kHz mono', async () => {
    const seconds = await decodeAudio(at('speech.mp4'), at('speech.wav'), { launcher, signal, timeoutMs: 10_000 })
    expect(seconds).to.be.closeTo(6, 0.1)
    const wav = await probe(at('speech.wav'), { launcher, signal })
    expect(wav.seconds).to.be.closeTo(seconds, 0.001)
  })

  it('fails with no_speech if there is no sound track', async () => {
    expect(await codeOf(decodeAudio(at('mute.mp4'), at('mute.wav'), { launcher, signal, timeoutMs: 10_000 }))).to.equal(
      'no_speech',
    )
  })

  it('stops at once when it is aborted', async () => {
    const reason = new Error('no longer wanted')
    expect(
      await probe(at('speech.mp4'), { launcher, signal: AbortSignal.abort(reason) }).catch((error) => error),
    ).to.equal(reason)
  })
})
