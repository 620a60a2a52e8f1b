import type { Media } from '../media.ts'
import { redirectTo, type SandboxAnswer, type SandboxPage, type SandboxRequest, type Site } from '../site.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { fbcdnFile } from './files.ts'
import { postPage, videoInPostAt } from './post-page.ts'
import { videoPage } from './video-page.ts'

const HOME = 'https://www.facebook.com'
const names = ['facebook.com', 'm.facebook.com', 'web.facebook.com', 'mbasic.facebook.com', 'touch.facebook.com']
const others = [...names, 'fb.com', 'www.fb.com', 'm.fb.com', 'web.fb.com']

/** www.facebook.com, its other names, short links, and fbcdn.net. */
export const facebookSites = (media: Media): Site[] => [
  { hosts: ['www.facebook.com'], answer: (request) => page(request, media) },
  { hosts: others, answer: ({ url }) => redirectTo(`${HOME}${url.pathname}${url.search}`) },
  { hosts: ['fb.watch'], answer: ({ url }) => leadOn(url.pathname.split('/')[1] ?? '') },
  { hosts: ['*.fbcdn.net'], answer: ({ url }) => fbcdnFile(url, media) },
]

const shown = (body: string): SandboxAnswer => ({
  status: 200,
  body: `<!DOCTYPE html><html id="facebook"><head><meta charset="utf-8" /><title>Facebook</title></head><body>${body}</body></html>`,
})
const tooMany: SandboxAnswer = { status: 429, body: 'Sorry, something went wrong.' }

/** Short links name a video by the last digits of its id. */
export const shareCodeOf = ({ id }: FacebookVideo): string => `sandbox${id.slice(-3)}`

function page({ url, method, headers }: SandboxRequest, media: Media): SandboxAnswer | undefined {
  const { pathname } = url
  const shared = /^\/share\/(?:[vr]\/)?(\w+)\/?$/.exec(pathname)?.[1]
  if (shared !== undefined) return leadOn(shared)
  if (/^\/login\/?$/.test(pathname)) return login
  if (pathname.startsWith('/video/tahoe/async/') && method === 'POST') return oldPlayer
  const posted = videoInPostAt(pathname)
  const request = { url, headers }
  if (posted !== undefined) return videoAt(posted, request, (video) => postPage(video, media))
  const id = idIn(url)
  return id === undefined ? undefined : videoAt(id, request, (video) => videoPage(video, media))
}

/** The video that a page's address names. */
function idIn({ pathname, searchParams }: URL): string | undefined {
  if (/^\/(?:watch(?:\/live)?\/?|video(?:\/video)?\.php)$/.test(pathname)) return searchParams.get('v') ?? undefined
  return /^\/(?:reel|[^/]+\/videos(?:\/[^/]+)?)\/(\d+)\/?$/.exec(pathname)?.[1]
}

type PageRequest = Pick<SandboxRequest, 'url' | 'headers'>

function videoAt(id: string, request: PageRequest, pageOf: (video: FacebookVideo) => SandboxPage): SandboxAnswer {
  const video = facebookVideos.find((one) => one.id === id)
  switch (video?.trouble) {
    case undefined:
      return video ? { status: 200, page: pageOf(video) } : nothingHere
    case 'deleted':
      return interstitial
    case 'rate_limited':
      return tooMany
    case 'login_wall':
      return video && hasSignedIn(request) && isBrowser(request) ? { status: 200, page: pageOf(video) } : nothingHere
  }
  return redirectTo(`${HOME}/login/?next=${encodeURIComponent(request.url.href)}`)
}

const hasSignedIn = ({ headers }: PageRequest): boolean => /\bc_user=\d+.*\bxs=/.test(String(headers.cookie))

/** The real Facebook checks the TLS handshake. Clients that imitate a browser's also send this header. */
const isBrowser = ({ headers }: PageRequest): boolean => headers['sec-ch-ua'] !== undefined

function leadOn(code: string): SandboxAnswer {
  const video = facebookVideos.find((one) => shareCodeOf(one) === code)
  // A withdrawn link leads to the front page.
  if (!video) return redirectTo(`${HOME}/`)
  return video.trouble === 'private' || video.trouble === 'login_required'
    ? redirectTo(`${HOME}/login/?next=${encodeURIComponent(video.url)}`)
    : redirectTo(`${video.url}${video.shown === 'reel' ? '?' : '&'}rdid=Sandbox1&share_url=${encodeURIComponent(HOME)}`)
}

const login = shown(
  '<div>You must log in to continue.</div><form id="login_form" action="/login/device-based/regular/login/" method="post"><button id="loginbutton" name="login">Log In</button></form>',
)

const interstitial = shown(
  '<div class="phl ptm uiInterstitialContent"><div>The link you followed may have expired, or the page may only be visible to an audience you&#039;re not in.</div></div>',
)

/** The newer page, with the message in its program. yt-dlp finds nothing in it. */
const nothingHere = shown('<div id="mount_0_0"></div>')

/** The interface of a player that no longer exists. yt-dlp requests it last. */
const oldPlayer: SandboxAnswer = {
  status: 200,
  headers: { 'content-type': 'application/x-javascript; charset=utf-8' },
  body: 'for (;;);{"__ar":1,"payload":null}',
}
