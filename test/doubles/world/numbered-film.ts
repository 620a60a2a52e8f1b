import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Bits of a number. Each is a column of the picture: white for 1, black for 0. */
const BITS = 8
const WIDTH = 640
const HEIGHT = 360
/** Pictures per second. */
const RATE = 10

export type Scene = { number: number; seconds: number }

/**
 * Writes a film in which each scene shows a number from 0 to 255. The number is so large that it can be read from any
 * picture of the scene, however small. The encoder chooses its key frames freely, as in any film.
 */
export async function makeNumberedFilm(path: string, scenes: readonly Scene[], more: string[] = []): Promise<void> {
  const inputs = scenes.flatMap(() => [
    ...['-f', 'lavfi', '-t', String(1 / RATE), '-i', `color=c=gray:s=${WIDTH}x${HEIGHT}:r=${RATE}`],
  ])
  // Each scene is drawn once and repeated: drawing every picture takes four times as long as everything else.
  const repeated = (seconds: number): string => `loop=loop=${Math.round(seconds * RATE) - 1}:size=1`
  const drawn = scenes.map(
    ({ number, seconds }, index) => `[${index}:v]${drawing(number)},${repeated(seconds)}[v${index}]`,
  )
  const joined = `${scenes.map((_, index) => `[v${index}]`).join('')}concat=n=${scenes.length}:v=1[film]`
  const filter = [...drawn, joined].join(';')
  const encoded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...more]
  const args = [
    '-nostdin',
    '-loglevel',
    'error',
    '-y',
    ...inputs,
    '-filter_complex',
    filter,
    '-map',
    '[film]',
    ...encoded,
  ]
  await run('ffmpeg', [...args, path])
}

/** One column per bit, the highest first. */
function drawing(number: number): string {
  const width = WIDTH / BITS
  return Array.from({ length: BITS }, (_, bit) => {
    const color = (number >> (BITS - 1 - bit)) & 1 ? 'white' : 'black'
    return `drawbox=x=${bit * width}:y=0:w=${width}:h=${HEIGHT}:color=${color}:t=fill`
  }).join(',')
}

/**
 * The numbers that JPEGs show, and their sizes in pixels. All are read at once, because starting ffmpeg takes longer
 * than a picture. @throws Error if one is no JPEG or shows no number
 */
export async function readNumbers(
  jpegs: readonly Buffer[],
): Promise<{ number: number; width: number; height: number }[]> {
  for (const jpeg of jpegs) if (jpeg.readUIntBE(0, 3) !== 0xffd8ff) throw new Error('a picture is no JPEG')
  const input = ['-loglevel', 'error', '-f', 'jpeg_pipe', '-i', '-']
  const columns = ['-vf', `scale=${BITS}:1:flags=area,format=gray`, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-']
  const shades = [...(await runOn(jpegs, 'ffmpeg', [...input, ...columns]))]
  const sizes = await runOn(jpegs, 'ffprobe', [...input, '-show_entries', 'frame=width,height', '-of', 'csv=p=0'])
  const lines = sizes.toString('utf8').trim().split('\n')
  if (shades.length !== BITS * jpegs.length || lines.length !== jpegs.length)
    throw new Error(`ffmpeg read ${lines.length} of ${jpegs.length} pictures`)
  return lines.map((line, index) => {
    const [width, height] = line.split(',').map(Number)
    const own = shades.slice(index * BITS, (index + 1) * BITS)
    if (own.some((shade) => shade > 60 && shade < 195)) throw new Error(`picture ${index} shows no number: ${own}`)
    return {
      number: own.reduce((sum, shade) => sum * 2 + (shade > 127 ? 1 : 0), 0),
      width: width ?? 0,
      height: height ?? 0,
    }
  })
}

/** The output of a program that reads the pictures, one after the other. */
async function runOn(jpegs: readonly Buffer[], program: string, args: readonly string[]): Promise<Buffer> {
  const running = run(program, args, { encoding: 'buffer', maxBuffer: 1024 * 1024 })
  running.child.stdin?.end(Buffer.concat(jpegs))
  return (await running).stdout
}
