import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clipNamesOf, type FilmName, filmNames } from './films.ts'

const CLIPS = '/usr/share/pocketsphinx/test/data/librivox'
const SCRIPT = join(import.meta.dirname, 'make-media')
const FOLDER = join(import.meta.dirname, '../../.media/sandbox')

const kinds = {
  /** Sound and picture. */
  film: { ending: 'mp4', type: 'video/mp4' },
  /** Picture only. */
  picture: { ending: 'video.mp4', type: 'video/mp4' },
  m4a: { ending: 'm4a', type: 'audio/mp4' },
  webm: { ending: 'webm', type: 'audio/webm' },
  thumbnail: { ending: 'jpg', type: 'image/jpeg' },
} as const

export type MediaKind = keyof typeof kinds
export type MediaFile = { type: string; body: Buffer }

/** Every film in all of its forms. */
export type Media = Record<FilmName, Record<MediaKind, MediaFile>>

/**
 * Reads the sandbox's films. Makes them first if they are missing or the recipe has changed (a few seconds).
 * @throws Error if ffmpeg or pocketsphinx-testdata is missing: run ops/setup
 */
export async function loadMedia(): Promise<Media> {
  const folder = await madeMedia()
  const films = await Promise.all(filmNames.map(async (film) => [film, await loadFilm(folder, film)] as const))
  return Object.fromEntries(films) as Media
}

async function loadFilm(folder: string, film: FilmName): Promise<Record<MediaKind, MediaFile>> {
  const files = Object.entries(kinds).map(async ([kind, { ending, type }]) => {
    return [kind, { type, body: await readFile(join(folder, `${film}.${ending}`)) }] as const
  })
  return Object.fromEntries(await Promise.all(files)) as Record<MediaKind, MediaFile>
}

/**
 * The folder is named after the recipe and renamed when complete, so several processes may make it at the same time.
 */
async function madeMedia(): Promise<string> {
  const recipe = [await readFile(SCRIPT, 'utf8'), ...filmNames.flatMap((film) => [film, ...clipNamesOf(film)])]
  const name = createHash('sha256').update(recipe.join('\n')).digest('hex').slice(0, 16)
  const folder = join(FOLDER, name)
  if (existsSync(folder)) return folder
  await mkdir(FOLDER, { recursive: true })
  const making = await mkdtemp(join(FOLDER, 'making-'))
  try {
    for (const film of filmNames) await promisify(execFile)(SCRIPT, [CLIPS, making, film, ...clipNamesOf(film)])
    await rename(making, folder)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}
