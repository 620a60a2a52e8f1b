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
  /** A bot check, except for clients that need no token. */
  | 'bot_check_but_android'
  /** Like `bot_check` and `private`, but shown only in YouTube's newer interstitial. */
  | 'bot_check_interstitial'
  | 'private_interstitial'
  /** Answered with another video, as YouTube does for addresses that it blocks. */
  | 'other_video'
  /** "The page needs to be reloaded." */
  | 'needs_reload'
  /** Facebook's login page for guests, which names neither the video nor the reason. */
  | 'login_wall'
  | 'live'
  | 'upcoming'
  /** Plays, but without a proof token its captions are an empty body. */
  | 'captions_need_token'
  /** Plays, but the platform's API fails. The interface for embedded posts does not. */
  | 'api_fails'
  /** Plays, and lists its captions as ones that need a proof token. Without one, yt-dlp leaves them out. */
  | 'captions_withheld'

/** A creator. None of them is real. */
export type Creator = {
  /** The platform's own id: `UC…` on YouTube, digits elsewhere. */
  id: string
  /** Without `@`. */
  handle: string
  name: string
}

export type CaptionTrack = {
  /** The language in the platform's notation: `en` on YouTube, `eng-US` on TikTok. */
  language: string
  /** The platform's name for the track. */
  label: string
  kind: 'human' | 'automatic' | 'machine_translated'
  cues: Cue[]
}

export type CatalogueVideo = {
  platform: SocialPlatform
  id: string
  /** In the canonical form of `parseVideoUrl`. */
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
  /** In seconds from the beginning. Undefined: no chapters. */
  chapters?: { start: number; title: string }[]
  /** Machine-dubbed sound tracks in addition to the original. */
  dubs?: { language: string; label: string; film: FilmName }[]
  /** Undefined: plays for all callers. */
  trouble?: Trouble
}
