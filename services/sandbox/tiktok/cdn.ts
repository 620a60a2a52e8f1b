import { createHash } from 'node:crypto'
import type { CatalogueVideo } from '../catalogue.ts'
import { type FilmName, filmNames } from '../films.ts'
import type { Media } from '../media.ts'
import { fileOf, type SandboxAnswer, type SandboxRequest } from '../site.ts'
import { webVtt } from './web-vtt.ts'

/** How long an address is valid, seconds. */
const LIFETIME = 48 * 3_600

/** Films are served only with the cookie that their page set. */
export const COOKIE = 'tt_chain_token'

/** The value of TikTok's cookie for an exit address. */
export const chainTokenOf = (exit: string | undefined): string => signatureOf('chain', exit ?? '').slice(0, 22)

const signatureOf = (...parts: (string | number)[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 32)
const expiry = (): number => Math.floor(Date.now() / 1_000) + LIFETIME

export const filmHosts = ['v16-webapp-prime.tiktok.com', 'v19-webapp-prime.tiktok.com'] as const

/** @param kind `marked` shows the name of its creator, like downloads from TikTok */
export function filmAddress(host: string, film: FilmName, kind: 'plain' | 'marked', token: string): string {
  const path = `/video/tos/sandbox/tos-sandbox-ve-0068/${film}-${kind}/`
  const expire = expiry()
  const query = `a=1988&cv=1&mime_type=video_mp4&expire=${expire}&policy=2&signature=${signatureOf(path, expire, token)}&tk=${COOKIE}`
  return `https://${host}${path}?${query}`
}

export const soundAddress = (film: FilmName): string =>
  inPath('v16m.tiktokcdn-eu.com', `/video/tos/sandbox/tos-sandbox-v-2370/${film}/`, 'audio_mp4')

export const captionsAddress = (id: string, language: string): string =>
  inPath('v16-webapp.tiktokcdn-eu.com', `/video/tos/sandbox/tos-sandbox-v-0037/${id}-${language}/`, 'video_mp4')

/** Captions and music have their signature and their expiry, in hexadecimal seconds, before their path. */
function inPath(host: string, path: string, type: string): string {
  const expire = expiry().toString(16)
  return `https://${host}/${signatureOf(path, expire)}/${expire}${path}?a=1988&mime_type=${type}&btag=e00050000`
}

export function pictureAddress(film: FilmName, kind: 'cover' | 'avatar'): string {
  const path = `/tos-sandbox-p-0037/${film}-${kind}~tplv-tiktokx-origin.image`
  const expire = expiry()
  return `https://p16-common-sign.tiktokcdn-eu.com${path}?x-expires=${expire}&x-signature=${signatureOf(path, expire)}`
}

const forbidden: SandboxAnswer = { status: 403, body: 'Access Denied' }

/** The answers of the hosts of films. */
export function film({ url, headers, exit }: SandboxRequest, media: Media): SandboxAnswer | undefined {
  const name = filmNames.find((one) => url.pathname.includes(`/${one}-`))
  if (!name) return undefined
  const token = chainTokenOf(exit)
  const expire = Number(url.searchParams.get('expire'))
  const isSigned = url.searchParams.get('signature') === signatureOf(url.pathname, expire, token)
  const holdsCookie = String(headers.cookie ?? '').includes(`${COOKIE}=${token}`)
  return isSigned && holdsCookie && isAhead(expire) ? fileOf(media[name].film) : forbidden
}

/** The answers of the hosts of captions, music and pictures. */
export function file(
  { url }: SandboxRequest,
  media: Media,
  videos: readonly CatalogueVideo[],
): SandboxAnswer | undefined {
  const [, signature = '', expire = '', rest = ''] = /^\/([\da-f]{32})\/([\da-f]+)(\/.*)$/.exec(url.pathname) ?? []
  if (rest === '') return picture(url, media)
  if (signature !== signatureOf(rest, expire) || !isAhead(Number.parseInt(expire, 16))) return forbidden
  const name = rest.split('/').at(-2) ?? ''
  const sound = filmNames.find((one) => one === name)
  if (sound) return fileOf(media[sound].m4a)
  const video = videos.find(({ id }) => name.startsWith(`${id}-`))
  const track = video?.captions.find(({ language }) => name.endsWith(`-${language}`))
  return track && fileOf({ type: 'binary/octet-stream', body: webVtt(track) })
}

function picture({ pathname, searchParams }: URL, media: Media): SandboxAnswer | undefined {
  const name = filmNames.find((one) => pathname.includes(`/${one}-`))
  if (!name) return undefined
  const expire = Number(searchParams.get('x-expires'))
  const isSigned = searchParams.get('x-signature') === signatureOf(pathname, expire)
  return isSigned && isAhead(expire) ? fileOf(media[name].thumbnail) : forbidden
}

const isAhead = (seconds: number): boolean => seconds > Date.now() / 1_000
