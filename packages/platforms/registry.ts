import { facebook } from './facebook/facebook.ts'
import { instagram } from './instagram/instagram.ts'
import type { PlatformDefinition, ProfileDefinition } from './platform-definition.ts'
import { tiktok } from './tiktok/tiktok.ts'
import { x } from './x/x.ts'
import { youtube } from './youtube/youtube.ts'

/** All platforms. Types, variables, searches and checks are derived from this list. */
const registered = [youtube, tiktok, instagram, x, facebook] as const

type Registered = (typeof registered)[number]
type WithProfile = Extract<Registered, { profile: object }>

export type SocialPlatform = Registered['name']
export type ProfilePlatform = WithProfile['name']

/** The type of a platform's profile. */
export type ProfileOf<P extends ProfilePlatform> = Awaited<
  ReturnType<ReturnType<Extract<WithProfile, { name: P }>['profile']['create']>['first']>
>['profile']

export type RegisteredPlatform = PlatformDefinition & { name: SocialPlatform }

export const platforms: readonly RegisteredPlatform[] = registered

export const platformNames: readonly SocialPlatform[] = registered.map(({ name }) => name)

const byName = new Map(platforms.map((platform) => [platform.name, platform]))
const byHost = new Map(
  platforms.flatMap((platform) => Array.from(platform.urls.hosts, (host) => [host, platform] as const)),
)

export function platformNamed(name: SocialPlatform): RegisteredPlatform {
  const platform = byName.get(name)
  if (!platform) throw new Error(`no platform is called ${name}`)
  return platform
}

/** The platform of a host; undefined for any other host. */
export const platformAt = (host: string): RegisteredPlatform | undefined => byHost.get(host)

const byDomain = platforms.flatMap((platform) =>
  platform.urls.domains.map((domain) => [`.${domain}`, platform] as const),
)

/** The platform that a host's domain belongs to, including pages for help or developers and media hosts. */
export const ownerOf = (host: string): RegisteredPlatform | undefined =>
  byDomain.find(([domain]) => host.endsWith(domain))?.[1]

/** The platforms with profiles that we serve. */
export const profilePlatforms: readonly WithProfile[] = registered.filter((platform) => 'profile' in platform)

export const profileDefinitionOf = (name: ProfilePlatform): ProfileDefinition & { label: string } => {
  const platform = profilePlatforms.find((one) => one.name === name)
  if (!platform) throw new Error(`no profiles of ${name}`)
  return { ...platform.profile, label: platform.label }
}
