import type { ProfileVideo, TikTokProfile } from '#contracts/generated/http.ts'
import type { ProfileReader } from '../platform-definition.ts'
import { askPlatform, type Browse, type SiteOptions } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import { blocked, jsonOf, jsonScripts, noProfile, parseAnswer, type Site, signInWall } from '../reading/site.ts'
import { olderToken, olderUrl, parseOlder } from './more-videos.ts'
import { parseEmbed, parseEmbeddedProfile } from './parse-embed.ts'
import { parseProfile, type TikTokOwner } from './parse-profile.ts'

const site: Site = { platform: 'tiktok', operation: 'profile', label: 'TikTok' }

const userPage = '__UNIVERSAL_DATA_FOR_REHYDRATION__'
const embedPage = '__FRONTITY_CONNECT_STATE__'

/**
 * Marks of a challenge or login page in place of the requested one. The reader has already solved what it can solve.
 */
const challenge = /_wafchallengeid|SlardarWAF|captcha|verify-bar/i

/**
 * Reads a TikTok creator's profile (specification: TikTok profile) from its page, and its latest videos from its
 * embed page: about ten, newest first. If only a script fills the profile page, everything is read from the embed
 * page. Older videos are requested as TikTok's own page requests them.
 */
export function createTikTokProfiles({ browse, report }: SiteOptions): ProfileReader<TikTokProfile> {
  const readEmbed = async <T>(
    username: string,
    reading: Reading,
    parse: (shape: Shape, username: string) => T,
  ): Promise<T> => {
    const page = await readPage(browse, `https://www.tiktok.com/embed/@${username}`, embedPage, reading)
    return parseAnswer(site, Shape.of('embed', page), report, (shape) => parse(shape, username))
  }
  return {
    async first(username, reading) {
      const page = Shape.of('profile', await readPage(browse, `https://www.tiktok.com/@${username}`, userPage, reading))
      if (!page.has('__DEFAULT_SCOPE__', 'webapp.user-detail')) {
        const embedded = await readEmbed(username, reading, parseEmbeddedProfile)
        // the account may not exist, or only refuse to be embedded
        if (!embedded) throw signInWall(site.label)
        return { profile: embedded, next: null }
      }
      const owner = parseAnswer(site, page, report, parseProfile)
      if (!owner) throw noProfile()
      const { profile, hidesVideos } = owner
      if (hidesVideos || profile.stats.videos === 0) return { profile: { ...profile, videos: [] }, next: null }
      const videos = await readEmbed(username, reading, parseEmbed)
      return { profile: { ...profile, videos }, next: olderThan(videos, owner) }
    },
    async more(token, reading) {
      const answer = await askPlatform(site, browse, { url: olderUrl(token) }, reading)
      // TikTok sends empty pages to clients that it distrusts
      if (answer.text.trim() === '' || challenge.test(answer.text)) throw blocked(site.label)
      const shape = Shape.of('older', jsonOf(answer.text))
      return parseAnswer(site, shape, report, (found) => parseOlder(found, token))
    },
  }
}

/** The token of the videos before these. Null if there are no more, or the account's id for the request is unknown. */
function olderThan(videos: readonly ProfileVideo[], { profile, secUid }: TikTokOwner): string | null {
  const last = videos.at(-1)
  if (!last?.createdAt || secUid === null || (profile.stats.videos ?? 0) <= videos.length) return null
  return olderToken({ secUid, before: Date.parse(last.createdAt), lastId: last.id })
}

/** The state that a TikTok page holds for its own script. Undefined if a whole page has none. */
async function readPage(browse: Browse, url: string, script: string, reading: Reading): Promise<unknown> {
  const mark = `id="${script}"`
  const answer = await askPlatform(site, browse, { url, holds: mark }, reading)
  if (answer.status === 404) throw noProfile()
  const [state] = jsonScripts(answer.text, mark)
  if (state !== undefined) return state
  if (answer.text.trim() === '' || challenge.test(answer.text)) throw blocked(site.label)
  if (answer.url.pathname.startsWith('/login') || answer.status !== 200) throw signInWall(site.label)
  return undefined
}
