import type { TikTokProfile } from '#contracts/generated/http.ts'
import type { Egress } from '#packages/egress/egress.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import {
  askSite,
  blocked,
  browserHeaders,
  jsonScripts,
  noProfile,
  parseAnswer,
  type Site,
  type SiteOptions,
  withheld,
} from '../reading/site.ts'
import { parseEmbed } from './parse-embed.ts'
import { parseProfile } from './parse-profile.ts'

const site: Site = { platform: 'tiktok', operation: 'profile', label: 'TikTok' }

const userPage = '__UNIVERSAL_DATA_FOR_REHYDRATION__'
const embedPage = '__FRONTITY_CONNECT_STATE__'

/** Marks of a challenge or login page sent in place of the requested one. */
const challenge = /_wafchallengeid|SlardarWAF|captcha|verify-bar/i

/**
 * Reads a TikTok creator's profile (specification: TikTok profile) from its page, and its latest videos, newest first,
 * about ten at most, from the page made for embedding it.
 * @param username of `usernameOf`
 * @throws StepError `profile_not_found`, `platform_blocked`, `upstream_error`
 */
export const createTikTokProfiles =
  ({ routeOf, report }: SiteOptions) =>
  async ({ username, limit }: { username: string; limit: number }, reading: Reading): Promise<TikTokProfile> => {
    const { egress } = routeOf(reading)
    const page = await readPage(egress, `https://www.tiktok.com/@${username}`, userPage, reading.signal)
    const owner = parseAnswer(site, Shape.of('profile', page), report, parseProfile)
    if (!owner) throw noProfile()
    const { profile, hidesVideos } = owner
    if (hidesVideos || profile.stats.videos === 0) return { ...profile, videos: [] }
    const embed = await readPage(egress, `https://www.tiktok.com/embed/@${username}`, embedPage, reading.signal)
    const videos = parseAnswer(site, Shape.of('embed', embed), report, (shape) => parseEmbed(shape, username))
    return { ...profile, videos: videos.slice(0, limit) }
  }

/** The state that a TikTok page holds for its own script; undefined when a whole page has none. */
async function readPage(egress: Egress, url: string, script: string, signal: AbortSignal): Promise<unknown> {
  const answer = await askSite(site, egress, url, { headers: browserHeaders, signal })
  if (answer.status === 404) throw noProfile()
  const [state] = jsonScripts(answer.text, `id="${script}"`)
  if (state !== undefined) return state
  if (answer.text.trim() === '' || challenge.test(answer.text)) throw blocked(site.label)
  if (answer.url.pathname.startsWith('/login') || answer.status !== 200) throw withheld(site.label)
  return undefined
}
