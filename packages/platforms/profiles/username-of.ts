import { type ProfilePlatform, profileDefinitionOf } from '../registry.ts'
import { parseVideoUrl } from '../urls/parse-video-url.ts'

/** The username, or the wrong parameter and the reason. The reason follows the parameter's name. */
export type ProfileName = { username: string } | { path: 'username' | 'url'; reason: string }

/**
 * The username that a profile request names, in lower case and without `@` (specification: username or url). A
 * request may give both if they name the same profile.
 */
export function usernameOf(
  platform: ProfilePlatform,
  { username, url }: { username?: string | undefined; url?: string | undefined },
): ProfileName {
  if (username === undefined && url === undefined)
    return { path: 'username', reason: 'is required if url is not given' }
  const byName = username === undefined ? undefined : ofName(platform, username)
  if (byName && 'reason' in byName) return byName
  const byUrl = url === undefined ? undefined : ofUrl(platform, url)
  if (byUrl && 'reason' in byUrl) return byUrl
  if (byName && byUrl && byName.username !== byUrl.username)
    return { path: 'url', reason: 'must be of the same profile as username' }
  return (byName ?? byUrl) as { username: string }
}

function ofName(platform: ProfilePlatform, text: string): ProfileName {
  const username = text.trim().replace(/^@/, '').toLowerCase()
  const { label, usernames, usernamesInWords, urlOf } = profileDefinitionOf(platform)
  // some matching words are pages of the platform
  const parsed = usernames.test(username) ? parseVideoUrl(urlOf(username)) : undefined
  if (parsed?.kind === 'profile') return { username }
  return { path: 'username', reason: `must be a name on ${label}: ${usernamesInWords}` }
}

function ofUrl(platform: ProfilePlatform, text: string): ProfileName {
  const { label } = profileDefinitionOf(platform)
  const parsed = parseVideoUrl(text)
  if (parsed.kind === 'profile' && parsed.platform === platform) {
    const named = ofName(platform, parsed.id)
    return 'reason' in named ? { path: 'url', reason: `is not the URL of a profile on ${label}` } : named
  }
  const isNoUrl = parsed.kind === 'hostile' || parsed.kind === 'invalid'
  return { path: 'url', reason: isNoUrl ? parsed.reason : `is not the URL of a profile on ${label}` }
}
