import { type PlatformUrls, type Recognised, segmentsOf, short, video } from '../urls/recognised.ts'

const own = ['facebook.com', 'fb.com'].flatMap((name) => [name, `www.${name}`, `m.${name}`, `web.${name}`])
const hosts = new Set([...own, 'mbasic.facebook.com', 'touch.facebook.com', 'fb.watch'])

export const facebookUrls: PlatformUrls = { hosts, recognise }

function recognise(url: URL): Recognised | undefined {
  const [first = '', second] = segmentsOf(url)
  if (url.hostname === 'fb.watch') return first === '' ? undefined : short(url)
  if (first === 'share' && second) return short(url)
  if (first !== 'plugins') return watched(url)
  const inner = URL.parse(url.searchParams.get('href') ?? '')
  return inner && hosts.has(inner.hostname) ? watched(inner) : undefined
}

function watched(url: URL): Recognised | undefined {
  const path = url.pathname
  if (/^\/(?:permalink|story)\.php$/.test(path)) return post(url)
  const reel = /^\/reel\/(\d{1,20})\/?$/.exec(path)?.[1]
  if (reel) return video(reel, `https://www.facebook.com/reel/${reel}`)
  const isWatch = /^\/(?:watch(?:\/live)?\/?|video\.php)$/.test(path)
  const named = /^\/[^/]+\/videos\/(?:[^/]+\/)?(\d{1,20})\/?$/.exec(path)?.[1]
  const id = isWatch ? url.searchParams.get('v') : named
  return id && /^\d{1,20}$/.test(id) ? video(id, `https://www.facebook.com/watch/?v=${id}`) : undefined
}

function post(url: URL): Recognised | undefined {
  const story = url.searchParams.get('story_fbid') ?? ''
  const page = url.searchParams.get('id') ?? ''
  if (!/^\w{1,100}$/.test(story) || !/^\d{1,20}$/.test(page)) return undefined
  return video(story, `https://www.facebook.com/permalink.php?story_fbid=${story}&id=${page}`)
}
