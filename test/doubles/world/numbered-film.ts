import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Bits of a number, each a column of the picture: white for 1, black for 0. */
const BITS = 8
const WIDTH = 640
const HEIGHT = 360

export type Scene = { number: number; seconds: number }

/**
 * Writes a film whose scenes each show a number from 0 to 255, drawn so large that it can be read back from any picture
 * of it, however small. The encoder puts key frames where it likes to, as it does in any film.
 */
export async function makeNumberedFilm(path: string, scenes: readonly Scene[], more: string[] = []): Promise<void> {
  const inputs = scenes.flatMap(({ seconds }) => [
    ...['-f', 'lavfi', '-t', String(seconds), '-i', `color=c=gray:s=${WIDTH}x${HEIGHT}:r=10`],
  ])
  const drawn = scenes.map(({ number }, index) => `[${index}:v]${drawing(number)}[v${index}]`)
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

/** One column a bit, the first being the highest. */
function drawing(number: number): string {
  const width = WIDTH / BITS
  return Array.from({ length: BITS }, (_, bit) => {
    const color = (number >> (BITS - 1 - bit)) & 1 ? 'white' : 'black'
    return `drawbox=x=${bit * width}:y=0:w=${width}:h=${HEIGHT}:color=${color}:t=fill`
  }).join(',')
}

/** The number that a JPEG shows, and the picture's size in pixels. @throws Error where it shows none */
export async function readNumber(jpegPath: string): Promise<{ number: number; width: number; height: number }> {
  const options = { encoding: 'buffer' as const, maxBuffer: 1024 * 1024 }
  const columns = ['-vf', `scale=${BITS}:1:flags=area,format=gray`, '-f', 'rawvideo', '-']
  const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', jpegPath, ...columns], options)
  const shades = [...stdout]
  if (shades.length !== BITS || shades.some((shade) => shade > 60 && shade < 195))
    throw new Error(`${jpegPath} shows no number: ${shades}`)
  const number = shades.reduce((sum, shade) => sum * 2 + (shade > 127 ? 1 : 0), 0)
  const entries = ['-v', 'error', '-show_entries', 'stream=width,height,codec_name', '-of', 'csv=p=0', jpegPath]
  const [codec, width, height] = (await run('ffprobe', entries)).stdout.trim().split(',')
  if (codec !== 'mjpeg') throw new Error(`${jpegPath} is ${codec}`)
  return { number, width: Number(width), height: Number(height) }
}
