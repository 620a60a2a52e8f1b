import { namedPage } from '../urls/named-page.ts'
import {
  page as named,
  type PlatformUrls,
  type Recognised,
  redirect,
  segmentsOf,
  short,
  video,
} from '../urls/recognised.ts'

/** Sites that show X's posts under the same paths for link previews. */
const mirrors = ['fixupx.com', 'fixvx.com', 'fxtwitter.com', 'vxtwitter.com', 'nitter.net', 'xcancel.com']

/** Links to a post's picture or video, in the form that its text contains. */
const pictures = new Set(['pic.x.com', 'pic.twitter.com'])

const own = [
  'x.com',
  'www.x.com',
  'm.x.com',
  'mobile.x.com',
  'twitter.com',
  'www.twitter.com',
  'm.twitter.com',
  'mobile.twitter.com',
]

export const xUrls: PlatformUrls = {
  hosts: new Set([...own, ...mirrors, ...pictures, 't.co']),
  domains: ['x.com', 'twitter.com'],
  isMedia: ({ hostname }) => hostname.startsWith('ton.'),
  recognise,
}

/** The pages of a post, with or without its author's name. */
const page =
  /^\/(?:(?:i\/web\/status(?:es)?|statuses|i\/videos(?:\/tweet)?|i\/cards\/tfw\/v1)|(\w{1,15})\/status(?:es)?)\/(\d{1,20})(?:\/|$)/

function recognise(url: URL): Recognised | undefined {
  if (url.hostname === 't.co' || pictures.has(url.hostname))
    return segmentsOf(url).length === 1 ? short(url) : undefined
  // links from before 2012 have the path behind #!
  const path = url.hash.startsWith('#!/') ? url.hash.slice(2) : url.pathname
  const [, user, id] = page.exec(path) ?? []
  if (id) return video(id, `https://x.com/${user ?? 'i'}/status/${id}`)
  if (/^\/(?:intent\/(?:tweet|post)|share)\/?$/.test(path)) return redirect(url.searchParams.get('url'))
  if (/^\/i\/(?:spaces|broadcasts|events)\//.test(path)) return named('a broadcast')
  return /^\/\w{1,15}\/?$/.test(path) && !namedPage(path.slice(1)) ? named('a profile') : undefined
}
