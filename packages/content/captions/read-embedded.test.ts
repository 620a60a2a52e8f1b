import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Launcher } from '#packages/content/media/launcher.ts'
import { readEmbedded } from './read-embedded.ts'

describe('reading an embedded track', function () {
  this.timeout(60_000)
  const signal = new AbortController().signal
  const launcher = new Launcher()
  after(() => launcher[Symbol.asyncDispose]())
  let cwd: string
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'embedded-'))
  })
  afterEach(() => rm(cwd, { recursive: true, force: true }))

  const stamp = (milliseconds: number) => new Date(milliseconds).toISOString().slice(11, 23)
  /** A Matroska file with one subtitle track. */
  const film = async (cues: number, text: string): Promise<string> => {
    const blocks = Array.from(
      { length: cues },
      (_, n) => `${stamp(n * 100)} --> ${stamp(n * 100 + 50)}\n${text} ${n}\n`,
    )
    await writeFile(join(cwd, 'track.vtt'), `WEBVTT\n\n${blocks.join('\n')}`)
    const path = join(cwd, 'film.mkv')
    const track = ['-protocol_whitelist', 'file', '-format_whitelist', 'webvtt', '-i']
    const args = ['-loglevel', 'error', ...track, 'track.vtt', '-c:s', 'webvtt', path]
    await launcher.run('ffmpeg', args, { cwd, signal, timeoutMs: 30_000, maxFileBytes: 64 * 1024 * 1024 })
    return path
  }
  const read = (path: string, codec = 'webvtt') =>
    readEmbedded(path, { index: 0, codec }, { launcher, signal, timeoutMs: 30_000 })

  /** A Matroska file with one SubRip track of these bytes. */
  const filmOf = async (bytes: Uint8Array): Promise<string> => {
    await writeFile(join(cwd, 'track.srt'), bytes)
    const args = ['-loglevel', 'error', '-i', 'track.srt', '-c:s', 'copy', 'film.mkv']
    await launcher.run('ffmpeg', args, { cwd, signal, timeoutMs: 30_000, maxFileBytes: 64 * 1024 * 1024 })
    return join(cwd, 'film.mkv')
  }

  it('reads one that is not UTF-8, guessing the encoding from its letters', async () => {
    const times = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n')
    // Добрый вечер in windows-1251
    const words = Buffer.from([0xc4, 0xee, 0xe1, 0xf0, 0xfb, 0xe9, 0x20, 0xe2, 0xe5, 0xf7, 0xe5, 0xf0])
    const [said] = await read(await filmOf(Buffer.concat([times, words])), 'subrip')
    expect(said).to.deep.equal({ start: 1, end: 2, text: 'Добрый вечер' })
  })

  it('reads a long one', async () => {
    expect(await read(await film(3000, 'A line that is said'))).to.have.length(3000)
  })
  for (const [what, cues, text] of [
    ['more than 20,000 cues', 20_001, 'x'],
    ['more than 2 MiB', 1_000, 'x'.repeat(3000)],
  ] as const) {
    it(`refuses a track of ${what}, and leaves nothing behind`, async () => {
      const error = await read(await film(cues, text)).catch((error) => error)
      expect(error).to.include({ name: 'StepError', code: 'result_too_large', transient: false })
      expect(await readdir(cwd)).to.deep.equal(['film.mkv', 'track.vtt'])
    })
  }
})
