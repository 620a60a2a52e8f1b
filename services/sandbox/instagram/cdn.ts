import { createHash } from 'node:crypto'
import { type FilmName, filmNames } from '../films.ts'
import type { Media, MediaKind } from '../media.ts'
import { fileOf, type SandboxAnswer } from '../site.ts'

/** How long an address is valid, seconds. */
const LIFETIME = 96 * 3_600

export const cdnHosts = ['instagram.fsbx1-1.fna.fbcdn.net', '*.cdninstagram.com'] as const

const HOST = 'scontent-sbx1-1.cdninstagram.com'
const HOST_OF_FILMS = cdnHosts[0]

/** The file name of each form of a film, at the end of its path. */
const endings: Record<Exclude<MediaKind, 'webm'>, string> = {
  film: 'c2.mp4',
  picture: 'dash_v.mp4',
  m4a: 'dash_a.mp4',
  thumbnail: 'n.jpg',
}
type Form = keyof typeof endings

/** A signed address. It serves the file to any caller until it expires. */
export function address(film: FilmName, form: Form): string {
  const path = `/${form === 'thumbnail' ? 'v/t51.2885-15' : 'o1/v/t16/f2/m86'}/AQSandbox_${film}_${endings[form]}`
  const end = (Math.floor(Date.now() / 1_000) + LIFETIME).toString(16).toUpperCase()
  const host = form === 'thumbnail' ? HOST : HOST_OF_FILMS
  return `https://${host}${path}?_nc_ht=${host}&_nc_cat=104&ccb=9-4&oh=${signatureOf(path, end)}&oe=${end}&_nc_sid=8b3546`
}

const signatureOf = (path: string, end: string): string =>
  `00_AY${createHash('sha256').update(`${path} ${end}`).digest('base64url').slice(0, 40)}`

/** The answers of the hosts of films and pictures. */
export function file({ pathname, searchParams }: URL, media: Media): SandboxAnswer | undefined {
  const film = filmNames.find((name) => pathname.includes(`_${name}_`))
  const form = (Object.keys(endings) as Form[]).find((one) => pathname.endsWith(`_${endings[one]}`))
  if (!film || !form) return undefined
  const end = searchParams.get('oe') ?? ''
  if (searchParams.get('oh') !== signatureOf(pathname, end)) return refused('Bad URL hash')
  if (!(Number.parseInt(end, 16) > Date.now() / 1_000)) return refused('URL signature expired')
  const { type, body } = media[film][form]
  return fileOf({ type: form === 'm4a' ? 'video/mp4' : type, body })
}

const refused = (body: string): SandboxAnswer => ({ status: 403, headers: { 'content-type': 'text/plain' }, body })
