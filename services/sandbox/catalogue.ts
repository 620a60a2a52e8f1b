import type { SocialPlatform } from '#packages/platforms/registry.ts'
import type { Cue, FilmName } from './films.ts'

/** Why a video does not play. Each platform has some of these, and reports them in its own words. */
export type Trouble =
  | 'private'
  | 'deleted'
  | 'age_restricted'
  | 'geo_blocked'
  | 'login_required'
  | 'members_only'
  | 'rate_limited'
  | 'bot_check'
  /** As `bot_check` and `private`, said in YouTube's newer interstitial alone. */
  | 'bot_check_interstitial'
  | 'private_interstitial'
  /** Answered with another video, as YouTube does to addresses that it blocks. */
  | 'other_video'
  /** "The page needs to be reloaded." */
  | 'needs_reload'
  /** Facebook's page for guests who have to log in, which names neither the video nor the reason. */
  | 'login_wall'
  | 'live'
  | 'upcoming'
  /** Plays, but its captions come as an empty body without a proof token. */
  | 'captions_need_token'
  /** Plays, but the platform's API fails; the interface for embedded posts does not. */
  | 'api_fails'
  /** Plays, and lists its captions as ones that need a proof token: yt-dlp leaves them out without one. */
  | 'captions_withheld'

/** A creator. None of them is real. */
export type Creator = {
  /** The platform's own id: `UC…` on YouTube, digits elsewhere. */
  id: string
  /** Without `@`. */
  handle: string
  name: string
  bio: string
  followers: number
  following: number
  /** Likes of all posts together. */
  likes: number
  videos: number
  verified: boolean
}

export type CaptionTrack = {
  /** As the platform writes it: `en` on YouTube, `eng-US` on TikTok. */
  language: string
  /** As the platform shows it. */
  label: string
  kind: 'human' | 'automatic' | 'machine_translated'
  cues: Cue[]
}

export type CatalogueVideo = {
  platform: SocialPlatform
  id: string
  /** As `parseVideoUrl` canonicalizes it. */
  url: string
  creator: Creator
  title: string
  /** With its hashtags. */
  description: string
  /** ISO 8601, UTC. */
  published: string
  views: number
  likes: number
  comments: number
  shares: number
  film: FilmName
  captions: CaptionTrack[]
  /** In seconds from the beginning; undefined: it has none. */
  chapters?: { start: number; title: string }[]
  /** Machine-dubbed sound tracks beside the original. */
  dubs?: { language: string; label: string; film: FilmName }[]
  /** undefined: plays for everybody. */
  trouble?: Trouble
}
