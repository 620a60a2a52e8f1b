import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { soundsIn } from '#test/doubles/speech/sounds.ts'
import { decodeAudio } from './decode-audio.ts'
import { Launcher } from './launcher.ts'

const run = promisify(execFile)
const signal = new AbortController().signal

/** Silence for `seconds` with a beep at each of `at`. */
const beeps = (seconds: number, ...at: number[]): string[] => {
  const when = at.map((second) => `between(t,${second},${second + 0.5})`).join('+')
  return ['-f', 'lavfi', '-i', `aevalsrc='0.5*sin(2*PI*1000*t)*(${when})':s=16000:d=${seconds}`]
}
const picture = (seconds: number): string[] => ['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=10:d=${seconds}`]
const film = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const twoTracks = ['-map', '0:v', '-map', '1:a', '-map', '2:a', ...film, '-c:a', 'flac']
const languages = ['-metadata:s:a:0', 'language=ger', '-metadata:s:a:1', 'language=eng']
const second = ['-disposition:a:0', '0', '-disposition:a:1', 'default']

describe('the sound of a video', () => {
  let directory: string
  const launcher = new Launcher()
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sound-'))
  })
  after(async () => {
    await launcher[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  async function made(name: string, ...args: string[]): Promise<string> {
    const path = join(directory, name)
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, path])
    return path
  }

  /** The times of the beeps. */
  async function heard(path: string, lang: string | null = null): Promise<number[]> {
    const wav = join(directory, 'sound.wav')
    await decodeAudio(path, wav, { launcher, signal, timeoutMs: 20_000, lang })
    const { sounds } = await soundsIn(wav)
    return sounds.map(({ start }) => Math.round(start * 10) / 10)
  }

  it('keeps the times of the video if it starts late, has a gap, or an edit list', async () => {
    const late = [...picture(10), '-itsoffset', '4', ...beeps(6, 1), '-map', '0:v', '-map', '1:a', ...film]
    expect(await heard(await made('late.mp4', ...late, '-c:a', 'aac'))).to.deep.equal([5])
    const gap = [...picture(10), ...beeps(10, 1, 8), '-af', "aselect='not(between(t,3,7))'", ...film]
    expect(await heard(await made('gap.mkv', ...gap, '-c:a', 'pcm_s16le'))).to.deep.equal([1, 8])
    const whole = await made('whole.mp4', ...picture(10), ...beeps(10, 6), ...film, '-g', '10', '-c:a', 'aac')
    expect(await heard(await made('cut.mp4', '-ss', '2', '-i', whole, '-c', 'copy'))).to.deep.equal([4])
  })

  it('is the track that players take, or the one in the requested language', async () => {
    const inputs = [...picture(8), ...beeps(8, 2), ...beeps(8, 6), ...twoTracks, ...languages, ...second]
    const path = await made('two.mkv', ...inputs)
    expect(await heard(path)).to.deep.equal([6])
    expect(await heard(path, 'de-AT')).to.deep.equal([2])
    expect(await heard(path, 'en')).to.deep.equal([6])
    expect(await heard(path, 'fr')).to.deep.equal([6])
  })

  it('is a description of the picture only if there is no other, or no other can be decoded', async () => {
    const described = ['-disposition:a:0', 'default+visual_impaired', '-disposition:a:1', '0']
    const path = await made('described.mkv', ...picture(8), ...beeps(8, 2), ...beeps(8, 6), ...twoTracks, ...described)
    expect(await heard(path)).to.deep.equal([6])
    const bytes = await readFile(path)
    const broken = join(directory, 'broken.mkv')
    // the codec of the second track becomes an unknown one
    bytes.write('A_FLAX', bytes.lastIndexOf('A_FLAC'))
    await writeFile(broken, bytes)
    expect(await heard(broken)).to.deep.equal([2])
  })

  it('is audible if the stereo channels have opposite phase, and otherwise unchanged in volume', async () => {
    for (const [name, right] of [
      ['opposite.mp4', '-1*c0'],
      ['same.mp4', 'c0'],
    ] as const) {
      const path = await made(name, ...beeps(4, 2), '-af', `pan=stereo|c0=c0|c1=${right}`, '-c:a', 'aac')
      expect(await heard(path), name).to.deep.equal([2])
    }
  })
})
