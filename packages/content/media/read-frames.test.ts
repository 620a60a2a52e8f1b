import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeMedia } from '#test/doubles/world/media.ts'
import { makeNumberedFilm, readNumbers, type Scene } from '#test/doubles/world/numbered-film.ts'
import { chooseTimes } from './choose-times.ts'
import { Launcher } from './launcher.ts'
import { type Frame, readFrames } from './read-frames.ts'

const limits = { timeoutMs: 60_000, maxFrames: 24, maxSide: 512 }

describe('the frames of a video', function () {
  this.timeout(60_000)
  const launcher = new Launcher()
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  before(async () => {
    directory = await temporaryDirectory()
  })
  after(async () => {
    await launcher[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  const signal = new AbortController().signal
  const read = (path: string, more: Partial<Parameters<typeof readFrames>[1]> = {}) =>
    readFrames(path, { ...limits, launcher, signal, ...more })
  async function film(name: string, scenes: Scene[], more: string[] = []): Promise<string> {
    const path = join(directory.path, name)
    await makeNumberedFilm(path, scenes, more)
    return path
  }
  /** The number shown in each frame. */
  async function numbersOf(frames: readonly Frame[]): Promise<number[]> {
    const seen = await readNumbers(frames.map(({ jpeg }) => jpeg))
    for (const { width, height } of seen) expect([width, height]).to.deep.equal([512, 288])
    return seen.map(({ number }) => number)
  }
  const shownAt = (scenes: readonly Scene[], seconds: number): number | undefined => {
    let end = 0
    return scenes.find((scene) => {
      end += scene.seconds
      return seconds < end
    })?.number
  }

  it('show every scene once, in order, with its time', async () => {
    const scenes = [7, 200, 33, 150, 90, 255, 0, 128].map((number) => ({ number, seconds: 3 }))
    const frames = await read(await film('scenes.mp4', scenes))
    expect(await numbersOf(frames)).to.deep.equal(scenes.map(({ number }) => number))
    for (const { seconds } of frames) expect(seconds).to.be.within(0, 24)
    expect(frames.map(({ seconds }) => shownAt(scenes, seconds))).to.deep.equal(scenes.map(({ number }) => number))
  })

  it('include a scene that lasts only a moment, between two times of the grid', async () => {
    const scenes = [
      { number: 1, seconds: 31 },
      { number: 170, seconds: 0.7 },
      { number: 1, seconds: 30 },
    ]
    expect(await numbersOf(await read(await film('flash.mp4', scenes), { maxFrames: 8 }))).to.deep.equal([1, 170, 1])
  })

  it('are found by key frames if the film is long', async () => {
    const scenes = Array.from({ length: 9 }, (_, index) => ({ number: index * 20 + 3, seconds: 50 }))
    // Two pictures a second suffice: encoding takes longer than everything else.
    const frames = await read(await film('long.mp4', scenes, ['-r', '2']), { maxFrames: 16 })
    expect(await numbersOf(frames)).to.deep.equal(scenes.map(({ number }) => number))
  })

  it('are a single one for a still film', async () => {
    const path = await film('still.mp4', [{ number: 99, seconds: 40 }])
    expect(await numbersOf(await read(path, { maxFrames: 8 }))).to.deep.equal([99])
  })

  it('are bounded in number, and cover the whole length', async () => {
    const scenes = Array.from({ length: 30 }, (_, index) => ({ number: (index * 37) % 256, seconds: 1.5 }))
    const frames = await read(await film('many.mp4', scenes), { maxFrames: 10 })
    expect(frames).to.have.length.within(8, 10)
    expect(frames[0]?.seconds).to.be.below(8)
    expect(frames.at(-1)?.seconds).to.be.above(38)
    expect(await numbersOf(frames)).to.deep.equal(frames.map(({ seconds }) => shownAt(scenes, seconds)))
  })

  it('are none for a sound, nor for a song with a cover', async () => {
    await makeMedia(directory.path, 'speech.mp3')
    expect(await read(join(directory.path, 'speech.mp3'))).to.deep.equal([])
  })

  it('are not read from playlists, and leave no file behind', async () => {
    const own = join(directory.path, 'hostile')
    await mkdir(own)
    await makeMedia(own, 'playlist.mp4', 'concat.mp4', 'notes.mp4')
    const before = await readdir(own)
    for (const name of ['playlist.mp4', 'concat.mp4', 'notes.mp4'])
      expect(await read(join(own, name)).catch((error) => error), name).to.include({
        code: 'media_unsupported',
        transient: false,
      })
    expect(await readdir(own)).to.deep.equal(before)
  })

  it('stop with the signal', async () => {
    const stop = new AbortController()
    const reading = read(await film('stopped.mp4', [{ number: 1, seconds: 20 }]), { signal: stop.signal })
    stop.abort(new Error('the claim was lost'))
    expect(await reading.catch((error) => error)).to.have.property('message', 'the claim was lost')
  })

  it('are taken on a grid from end to end, then at the strongest cuts, never twice in one place', () => {
    expect(chooseTimes(100, [], 8)).to.deep.equal([12.5, 37.5, 62.5, 87.5])
    const cuts = [
      { seconds: 12.4, change: 1 },
      { seconds: 50, change: 0.3 },
      { seconds: 80, change: 0.9 },
    ]
    expect(chooseTimes(100, cuts, 8)).to.deep.equal([12.5, 37.5, 50.2, 62.5, 80.2, 87.5])
    expect(chooseTimes(100, cuts, 5)).to.deep.equal([12.6, 25, 50.2, 75, 80.2])
    expect(chooseTimes(0.1, [], 24)).to.deep.equal([0.05])
  })
})
