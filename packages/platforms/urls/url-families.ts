import { facebookUrls } from '../facebook/urls.ts'
import { instagramUrls } from '../instagram/urls.ts'
import { tiktokUrls } from '../tiktok/urls.ts'
import { xUrls } from '../x/urls.ts'
import { youtubeUrls } from '../youtube/urls.ts'
import type { UrlFamily } from './url-family.ts'

export const urlFamilies: readonly UrlFamily[] = [youtubeUrls, tiktokUrls, instagramUrls, xUrls, facebookUrls]

const byHost = new Map(urlFamilies.flatMap((family) => Array.from(family.hosts, (host) => [host, family] as const)))

/** The platform that has a host; undefined for any other host. */
export const familyOf = (host: string): UrlFamily | undefined => byHost.get(host)
