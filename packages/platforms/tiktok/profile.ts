import type { TikTokProfile } from '#contracts/generated/http.ts'
import { askPlatform, type Browse, type SiteOptions } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import { blocked, jsonScripts, noProfile, parseAnswer, type Site, signInWall } from '../reading/site.ts'
import { parseEmbed, parseEmbeddedProfile } from './parse-embed.ts'
import { parseProfile } from './parse-profile.ts'

const site: Site = { platform: 'tiktok', operation: 'profile', label: 'TikTok' }

const userPage = '__UNIVERSAL_DATA_FOR_REHYDRATION__'
const embedPage = '__FRONTITY_CONNECT_STATE__'

/** Marks of a challenge or login page sent in place of the requested one; the reader has solved what can be solved. */
const challenge = /_wafchallengeid|SlardarWAF|captcha|verify-bar/i

/**
 * Reads a TikTok creator's profile (specification: TikTok profile) from its page, and its latest videos, newest first,
 * about ten at most, from the page made for embedding it. Where its page is made by a script only, all of it is read
 * from the page for embedding.
 * @param username of `usernameOf`
 * @throws StepError `profile_not_found`, `platform_blocked`, `upstream_error`
 */
export const createTikTokProfiles =
  ({ browse, report }: SiteOptions) =>
  async ({ username, limit }: { username: string; limit: number }, reading: Reading): Promise<TikTokProfile> => {
    const readEmbed = async <T>(parse: (shape: Shape, username: string) => T): Promise<T> => {
      const page = await readPage(browse, `https://www.tiktok.com/embed/@${username}`, embedPage, reading)
      return parseAnswer(site, Shape.of('embed', page), report, (shape) => parse(shape, username))
    }
    const page = Shape.of('profile', await readPage(browse, `https://www.tiktok.com/@${username}`, userPage, reading))
    if (!page.has('__DEFAULT_SCOPE__', 'webapp.user-detail')) {
      const embedded = await readEmbed(parseEmbeddedProfile)
      // nothing says whether there is no such account, or only none to be embedded
      if (!embedded) throw signInWall(site.label)
      return { ...embedded, videos: embedded.videos.slice(0, limit) }
    }
    const owner = parseAnswer(site, page, report, parseProfile)
    if (!owner) throw noProfile()
    const { profile, hidesVideos } = owner
    if (hidesVideos || profile.stats.videos === 0) return { ...profile, videos: [] }
    return { ...profile, videos: (await readEmbed(parseEmbed)).slice(0, limit) }
  }

/** The state that a TikTok page holds for its own script; undefined when a whole page has none. */
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
