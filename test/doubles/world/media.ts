import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Site } from '#services/sandbox/site.ts'
import { temporaryDirectory } from '../temporary-directory.ts'

const run = promisify(execFile)

/** Public-domain human speech (LibriVox), five clips with a reference text, from Debian's pocketsphinx-testdata. */
const speechDirectory = '/usr/share/pocketsphinx/test/data/librivox'
/** The first seven seconds or so. */
const speech = join(speechDirectory, 'sense_and_sensibility_01_austen_64kb-0870.wav')

/** The texts of the subtitle tracks in the captioned files. */
export const captionText = {
  en: ['Welcome to the captioned file.', 'It has two cues & no more.'],
  de: ['Willkommen in der Datei.', 'Sie hat zwei Zeilen.'],
}

const srt = (first: string, second: string) =>
  `1\n00:00:00,000 --> 00:00:02,000\n${first}\n\n2\n00:00:02,500 --> 00:00:05,000\n${second}\n`

const texts: Record<string, string> = {
  'en.srt': srt('Welcome to the captioned file.', 'It has <i>two</i> cues &amp; no more.'),
  'de.srt': srt('Willkommen in der Datei.', 'Sie hat <b>zwei</b> Zeilen.'),
  'notes.mp4': 'this is not a video\n',
  'page.mp4': '<!doctype html><title>x</title><h1>no media here</h1>\n',
  'playlist.mp4': '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nspeech.mp3\n#EXT-X-ENDLIST\n',
  'concat.mp4': 'ffconcat version 1.0\nfile speech.mp3\n',
}

const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=6']
const film = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const twoLanguages = ['-i', 'de.srt', '-i', 'en.srt', '-map', '0', '-map', '1', '-map', '2', '-map', '3']
const languages = ['-metadata:s:s:0', 'language=ger', '-metadata:s:s:1', 'language=eng']
const captioned = (codec: string) => [
  ...picture,
  '-i',
  speech,
  ...twoLanguages,
  ...film,
  '-c:s',
  codec,
  ...languages,
  '-t',
  '6',
]

/** A codec without encoder delay: because of a delay, Matroska would shift every track, captions too. */
const exactly = ['-c:a', 'flac']

/** How ffmpeg makes each file. `speech.*` have a real voice; `mute.mp4` and `picture.mp4` have no sound at all. */
const recipes: Record<string, string[]> = {
  'speech.mp4': [...picture, '-i', speech, ...film, '-c:a', 'aac', '-shortest', 'speech.mp4'],
  'titled.mp4': [
    '-i',
    speech,
    '-c:a',
    'aac',
    '-metadata',
    'title=A  sensible title',
    '-metadata',
    'artist=Jane Austen',
    'titled.mp4',
  ],
  'captioned.mp4': [...captioned('mov_text'), '-c:a', 'aac', 'captioned.mp4'],
  'captioned-srt.mkv': [...captioned('srt'), ...exactly, 'captioned-srt.mkv'],
  'captioned-webvtt.mkv': [...captioned('webvtt'), ...exactly, 'captioned-webvtt.mkv'],
  'captioned-ass.mkv': [...captioned('ass'), ...exactly, 'captioned-ass.mkv'],
  'mute.mp4': [...picture, ...film, 'mute.mp4'],
  'speech.mp3': ['-i', speech, '-c:a', 'libmp3lame', 'speech.mp3'],
  'speech.aac': ['-i', speech, '-c:a', 'aac', '-f', 'adts', 'speech.aac'],
  'speech.flac': ['-i', speech, 'speech.flac'],
  'speech.ogg': ['-i', speech, '-c:a', 'libvorbis', 'speech.ogg'],
  // Written like a broadcast: the header does not give the duration.
  'live.webm': ['-i', speech, '-c:a', 'libopus', '-f', 'webm', '-live', '1', 'live.webm'],
  'picture.jpg': ['-f', 'lavfi', '-i', 'testsrc2=s=640x360', '-frames:v', '1', '-update', '1', 'picture.jpg'],
  'silence.wav': ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '3', 'silence.wav'],
}

/** Every file that `makeMedia` can make. */
export const mediaNames: readonly string[] = [...Object.keys(recipes), ...Object.keys(texts), 'truncated.mp4']

/** Files that any process made earlier. Encoding takes more time than most tests that use it. */
const MADE = join(import.meta.dirname, '../../../.media/tests')

/**
 * Makes the named files in `directory`, good and bad ones, and also the subtitle files `en.srt` and `de.srt`. Needs
 * ffmpeg and Debian's pocketsphinx-testdata.
 */
export async function makeMedia(directory: string, ...names: string[]): Promise<void> {
  await writeTexts(directory, names)
  for (const name of new Set(names)) {
    const recipe = recipes[name]
    if (recipe) await copyFile(await madeFile(name, recipe), join(directory, name))
    else if (!(name in texts) && name !== 'truncated.mp4') throw new Error(`no recipe for ${name}`)
  }
  if (names.includes('truncated.mp4')) {
    const whole = await readFile(await madeFile('speech.mp4', recipes['speech.mp4'] ?? []))
    await writeFile(join(directory, 'truncated.mp4'), whole.subarray(0, 900))
  }
}

/** The bytes of the named files, by the paths under which a site serves them: `/speech.mp4`. */
export async function mediaFiles(names: readonly string[]): Promise<Map<string, Buffer>> {
  await using directory = await temporaryDirectory()
  await makeMedia(directory.path, ...names)
  return new Map(
    await Promise.all(names.map(async (name) => [`/${name}`, await readFile(join(directory.path, name))] as const)),
  )
}

/** A site with the named files, beside those of the sandbox. */
export async function mediaSite(host: string, names: readonly string[]): Promise<Site> {
  const files = await mediaFiles(names)
  return {
    hosts: [host],
    answer({ url }) {
      const body = files.get(url.pathname)
      return body && { status: 200, headers: { 'content-type': 'video/mp4' }, body }
    },
  }
}

async function writeTexts(directory: string, names: readonly string[]): Promise<void> {
  for (const [name, text] of Object.entries(texts))
    if (names.includes(name) || name.endsWith('.srt')) await writeFile(join(directory, name), text)
}

/**
 * @returns the path of a file that is named after its recipe. It is renamed when it is complete, because processes may
 * make it at once.
 */
async function madeFile(name: string, recipe: readonly string[]): Promise<string> {
  const id = createHash('sha256')
    .update(JSON.stringify([recipe, texts]))
    .digest('hex')
  const path = join(MADE, `${id.slice(0, 16)}-${name}`)
  if (existsSync(path)) return path
  await mkdir(MADE, { recursive: true })
  const making = await mkdtemp(join(MADE, 'making-'))
  try {
    await writeTexts(making, [])
    await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...recipe], { cwd: making })
    await rename(join(making, name), path)
    return path
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}
