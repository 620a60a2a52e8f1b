import type { InstagramProfile } from '#contracts/generated/http.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import {
  askSite,
  blocked,
  browserHeaders,
  jsonOf,
  jsonScripts,
  noProfile,
  parseAnswer,
  type Site,
  type SiteAnswer,
  type SiteOptions,
  withheld,
} from '../reading/site.ts'
import { findPageUser } from './find-page-user.ts'
import { parsePageUser, parseProfile } from './parse-profile.ts'

const site: Site = { platform: 'instagram', operation: 'profile', label: 'Instagram' }

/** The headers with which Instagram's own page calls its API. */
const apiHeaders = {
  'user-agent': browserHeaders['user-agent'],
  'accept-language': browserHeaders['accept-language'],
  accept: '*/*',
  'x-ig-app-id': '936619743392459',
  'x-requested-with': 'XMLHttpRequest',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
}

/**
 * Reads an Instagram creator's profile (specification: Instagram profile) with up to twelve posts, newest first.
 * Accounts that the API refuses (400) are read from their page, which shows no posts.
 * @param username of `usernameOf`
 * @throws StepError `profile_not_found`, `platform_blocked`, `upstream_error`
 */
export const createInstagramProfiles =
  ({ routeOf, report }: SiteOptions) =>
  async ({ username, limit }: { username: string; limit: number }, reading: Reading): Promise<InstagramProfile> => {
    const { egress } = routeOf(reading)
    const { signal } = reading
    const pageUrl = `https://www.instagram.com/${username}/`
    const api = `https://www.instagram.com/api/v1/users/web_profile_info/?username=${username}`
    const answer = await askSite(site, egress, api, { headers: { ...apiHeaders, referer: pageUrl }, signal })
    refuse(answer)
    if (answer.status === 400) {
      const page = await askSite(site, egress, pageUrl, { headers: browserHeaders, signal })
      refuse(page)
      return readPage(page, report)
    }
    const profile = parseAnswer(site, Shape.of('profile', jsonOf(answer.text)), report, parseProfile)
    if (!profile) throw noProfile()
    return { ...profile, videos: profile.videos.slice(0, limit) }
  }

/** 401 is "Please wait a few minutes before you try again": it refuses this exit address, whatever the profile. */
function refuse({ status, url, text }: SiteAnswer): void {
  if (status === 404) throw noProfile()
  const isChallenge = url.pathname.startsWith('/challenge')
  if (status === 401 || isChallenge || (status === 200 && text.trim() === '')) throw blocked(site.label)
  if (url.pathname.startsWith('/accounts/login')) throw withheld(site.label)
}

/** Instagram sends the page without its data to addresses that it distrusts. */
function readPage({ text }: SiteAnswer, report: SiteOptions['report']): InstagramProfile {
  const scripts = jsonScripts(text, 'xig_user_by_username')
  if (scripts.length === 0) throw withheld(site.label)
  const user = findPageUser(scripts)
  if (user === null) throw noProfile()
  return parseAnswer(site, Shape.of('xig_user_by_username', user), report, parsePageUser)
}
