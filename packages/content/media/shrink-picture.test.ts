import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { ConfinedError } from './confined-error.ts'
import { Launcher } from './launcher.ts'
import { shrinkPicture } from './shrink-picture.ts'

/** Pictures made for the tests, by name. */
const sizes = {
  'wide.jpg': '1280x720',
  'high.png': '720x1280',
  'square.webp': '640x640',
  'moving.gif': '64x64',
  'bomb.png': '5000x5000',
}

/** Width and height in the frame header of a JPEG. */
function sizeOf(jpeg: Buffer): [number, number] {
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  return [jpeg.readUInt16BE(frame + 7), jpeg.readUInt16BE(frame + 5)]
}

describe('a reduced picture', function () {
  this.timeout(60_000)
  const launcher = new Launcher()
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>
  let directory: string
  before(async () => {
    folder = await temporaryDirectory()
    directory = join(folder.path, 'work')
    await mkdir(directory)
    const outputs = Object.entries(sizes).flatMap(([name, size]) => ['-frames:v', '1', '-s', size, name])
    const args = ['-loglevel', 'error', '-f', 'lavfi', '-i', 'color=green:size=64x64', ...outputs]
    await promisify(execFile)('ffmpeg', args, { cwd: folder.path })
  })
  after(async () => {
    await launcher[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const made = (name: keyof typeof sizes): Promise<Buffer> => readFile(join(folder.path, name))
  const shrink = (picture: Uint8Array): Promise<Buffer> =>
    shrinkPicture(picture, { launcher, directory, signal: new AbortController().signal })
  const refusal = (picture: Uint8Array): Promise<string> =>
    shrink(picture).then(
      () => 'it was taken',
      (error) => (error instanceof ConfinedError ? error.reason : String(error)),
    )

  it("is a JPEG of 320 × 180, whatever the original's format and shape, and leaves no file behind", async () => {
    for (const name of ['wide.jpg', 'high.png', 'square.webp'] as const)
      expect(sizeOf(await shrink(await made(name))), name).to.deep.equal([320, 180])
    expect(await readdir(directory)).to.deep.equal([])
  })

  it('is never made of a large one, however few its bytes', async () => {
    const bomb = await made('bomb.png')
    expect(bomb.length).to.be.below(200_000)
    expect(await refusal(bomb)).to.equal('exit')
    expect(await readdir(directory)).to.deep.equal([])
  })

  it('is never made of a document that names other files, or of a film', async () => {
    const other = join(folder.path, 'wide.jpg')
    const texts = {
      svg: `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file://${other}"/></svg>`,
      concat: `ffconcat version 1.0\nfile ${other}\n`,
      playlist: `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${other}\n#EXT-X-ENDLIST\n`,
    }
    for (const [name, text] of Object.entries(texts)) expect(await refusal(Buffer.from(text)), name).to.equal('exit')
    expect(await refusal(await made('moving.gif'))).to.equal('exit')
  })
})
