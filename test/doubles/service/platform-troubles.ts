import type { FailureCode } from '#packages/domain/job/failure.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import type { CatalogueVideo, Trouble } from '#services/sandbox/catalogue.ts'

type Codes = Partial<Record<Trouble, FailureCode>>

const codes: Codes = {
  private: 'video_private',
  deleted: 'video_unavailable',
  age_restricted: 'age_restricted',
  geo_blocked: 'geo_blocked',
  login_required: 'login_required',
  members_only: 'login_required',
  rate_limited: 'platform_blocked',
  bot_check: 'platform_blocked',
  bot_check_interstitial: 'platform_blocked',
  private_interstitial: 'video_private',
  other_video: 'platform_blocked',
  needs_reload: 'platform_blocked',
  login_wall: 'login_required',
}

/** Troubles that a platform reports under another code. */
const saidOtherwise: Partial<Record<SocialPlatform, Codes>> = {
  tiktok: { geo_blocked: 'platform_blocked', login_required: 'platform_blocked' },
  youtube: { login_required: 'platform_blocked' },
  facebook: { private: 'login_required' },
}

/** The failure code of a sandbox video. Undefined if it can be read. */
export const codeOf = ({ platform, trouble }: CatalogueVideo): FailureCode | undefined =>
  trouble && (saidOtherwise[platform]?.[trouble] ?? codes[trouble])

/** Whether another attempt, elsewhere or later, may succeed. */
export const isTransient = (code: FailureCode): boolean => code === 'platform_blocked' || code === 'upstream_error'
