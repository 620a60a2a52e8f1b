import { type PlatformUrls, type Recognised, redirect, segmentsOf, short, video } from '../urls/recognised.ts'

/** Facebook's languages. Each has its own host, such as `de-de.facebook.com`. */
const locales = (
  'af-za ar-ar az-az be-by bg-bg bn-in bs-ba ca-es cs-cz cy-gb da-dk de-de el-gr en-gb en-us eo-eo es-es es-la et-ee ' +
  'eu-es fa-ir fi-fi fil-ph fo-fo fr-ca fr-fr fy-nl ga-ie gl-es gu-in he-il hi-in hr-hr hu-hu hy-am id-id is-is it-it ' +
  'ja-jp ka-ge kk-kz km-kh kn-in ko-kr ku-tr la-va lt-lt lv-lv mk-mk ml-in mn-mn mr-in ms-my my-mm nb-no ne-np nl-be ' +
  'nl-nl nn-no pa-in pl-pl ps-af pt-br pt-pt ro-ro ru-ru si-lk sk-sk sl-si so-so sq-al sr-rs sv-se sw-ke ta-in te-in ' +
  'th-th tl-ph tr-tr uk-ua ur-pk uz-uz vi-vn zh-cn zh-hk zh-tw'
).split(' ')

const prefixes = [...locales, 'mbasic', 'touch', 'l', 'lm'].map((name) => `${name}.facebook.com`)
const own = ['facebook.com', 'fb.com'].flatMap((name) => [name, `www.${name}`, `m.${name}`, `web.${name}`])
const hosts = new Set([...own, ...prefixes, 'fb.watch'])

export const facebookUrls: PlatformUrls = { hosts, domains: ['facebook.com', 'fb.com'], recognise }

/** Pages that share a link or lead to other sites, some with a warning. */
const redirectPage = /^\/(?:l\.php|flx\/warn\/?|sharer(?:\/sharer)?\.php)$/

/** The pages of a post: the name of its author or group, and the id. Longer ones also have a title or a number. */
const postPage =
  /^\/(groups\/)?((?:[\w.-]|%[89A-Fa-f][\dA-Fa-f]){1,200})\/(?:posts|permalink)\/(?:[^/]+\/)?(pfbid[A-Za-z\d]{1,100}|\d{1,20})\/?$/

function recognise(url: URL): Recognised | undefined {
  // the player's path may begin with an API version: /v2.8/plugins/video.php
  const [first = '', second] = segmentsOf(url).filter((part, at) => at > 0 || !/^v\d+\.\d+$/.test(part))
  if (url.hostname === 'fb.watch') return first === '' ? undefined : short(url)
  if (redirectPage.test(url.pathname)) return redirect(url.searchParams.get('u'))
  if (first === 'share' && second) return short(url)
  if (first !== 'plugins') return watched(url)
  const inner = URL.parse(url.searchParams.get('href') ?? '')
  return inner && hosts.has(inner.hostname) ? watched(inner) : undefined
}

function watched(url: URL): Recognised | undefined {
  const path = url.pathname
  if (/^\/(?:permalink|story)\.php$/.test(path)) return story(url)
  const permalink = groupPost(url)
  if (permalink) return permalink
  const [, group = '', name = '', post] = postPage.exec(path) ?? []
  if (post) return video(post, `https://www.facebook.com/${group}${escaped(name)}/posts/${post}`)
  const [, page, number] = /^\/(reel|watchparty)s?\/(\d{1,20})\/?$/.exec(path) ?? []
  if (number) return video(number, `https://www.facebook.com/${page}/${number}`)
  const id = idOfVideo(url)
  return id && /^\d{1,20}$/.test(id) ? video(id, `https://www.facebook.com/watch/?v=${id}`) : undefined
}

/** Names may contain escaped letters of any alphabet. */
const escaped = (name: string): string => name.replace(/%../g, (letter) => letter.toUpperCase())

function idOfVideo({ pathname, searchParams }: URL): string | null | undefined {
  if (/^\/video\/embed\/?$/.test(pathname)) return searchParams.get('video_id')
  // a photo's page may show a video; the job finds out
  if (/^\/photo(?:\.php)?\/?$/.test(pathname) && searchParams.has('fbid')) return searchParams.get('fbid')
  const isWatch = /^\/(?:watch(?:\/live)?\/?|(?:video\/)?video\.php|photo\.php)$/.test(pathname)
  return isWatch ? searchParams.get('v') : /^\/[^/]+\/videos\/(?:[^/]+\/)?(\d{1,20})\/?$/.exec(pathname)?.[1]
}

/** A post in a group, in the form that phones share: `/groups/1?view=permalink&id=2`. */
function groupPost({ pathname, searchParams }: URL): Recognised | undefined {
  const [, group] = /^\/groups\/([\w.-]{1,200})\/?$/.exec(pathname) ?? []
  const post = searchParams.get('id') ?? ''
  if (!group || searchParams.get('view') !== 'permalink' || !/^\d{1,20}$/.test(post)) return undefined
  return video(post, `https://www.facebook.com/groups/${group}/posts/${post}`)
}

function story(url: URL): Recognised | undefined {
  const story = url.searchParams.get('story_fbid') ?? ''
  const page = url.searchParams.get('id') ?? ''
  if (!/^\w{1,100}$/.test(story) || !/^\d{1,20}$/.test(page)) return undefined
  return video(story, `https://www.facebook.com/permalink.php?story_fbid=${story}&id=${page}`)
}
