import { type PlatformUrls, page, type Recognised, segmentsOf, short, video } from '../urls/recognised.ts'

const shortHosts = new Set(['vm.tiktok.com', 'vt.tiktok.com'])

/** Sites that show TikTok's videos under the same paths for link previews. */
const mirrors = ['vxtiktok.com', 'www.vxtiktok.com', 'tnktok.com', 'www.tnktok.com', 'tiktxk.com', 'www.tiktxk.com']

export const tiktokUrls: PlatformUrls = {
  hosts: new Set([
    ...['tiktok.com', 'www.tiktok.com', 'm.tiktok.com', 't.tiktok.com', 'lite.tiktok.com'],
    ...['tiktokv.com', 'www.tiktokv.com', ...mirrors, ...shortHosts],
  ]),
  domains: ['tiktok.com', 'tiktokv.com'],
  isMedia: ({ hostname, pathname }) =>
    /^(?:v\d|api)[\w-]*\.tiktok/.test(hostname) || /^\/(?:video\/tos|aweme\/v1\/play)\//.test(pathname),
  recognise,
}

/** Pages of a video that do not name its author. */
const pageOfVideo = /^\/(?:@\/video|embed(?:\/v2)?|player\/v1|(?:i18n\/)?share\/video|v)\/(\d{6,20})(?:\.html)?\/?$/

/** An account's opaque id in place of its name. It is case-sensitive. */
const accountId = /^@MS4wLjABAAAA[\w-]{20,200}$/

function recognise(url: URL): Recognised | undefined {
  const [first = '', second, third] = segmentsOf(url)
  if (shortHosts.has(url.hostname)) return first === '' ? undefined : short(url)
  if (first === 't' && second) return short(url)
  const inFeed = first === 'foryou' ? /^\d{6,20}$/.exec(url.searchParams.get('item_id') ?? '')?.[0] : undefined
  const unnamed = inFeed ?? pageOfVideo.exec(url.pathname)?.[1]
  if (unnamed) return video(unnamed, `https://www.tiktok.com/@_/video/${unnamed}`)
  const isOpaque = accountId.test(first)
  const user = isOpaque ? '_' : /^@([\w.-]{1,64})$/.exec(first)?.[1]?.toLowerCase()
  if (first === 'music') return page('a sound with its videos')
  if (!user) return undefined
  if (!second && !isOpaque) return { kind: 'profile', id: user, canonical: `https://www.tiktok.com/@${user}` }
  if (second === 'live') return page('a broadcast')
  if (second === 'playlist' || second === 'collection') return page('a playlist')
  if ((second !== 'video' && second !== 'photo') || !third || !/^\d{6,20}$/.test(third)) return undefined
  return { kind: second, id: third, canonical: `https://www.tiktok.com/@${user}/video/${third}` }
}
