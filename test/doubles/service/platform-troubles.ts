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
}

/** What a platform does not tell from other troubles. */
const saidOtherwise: Partial<Record<SocialPlatform, Codes>> = {
  tiktok: { geo_blocked: 'platform_blocked', login_required: 'platform_blocked', bot_check: 'upstream_error' },
  facebook: { private: 'login_required' },
}

/** What keeps a video of the sandbox from being read; undefined where nothing does. */
export const codeOf = ({ platform, trouble }: CatalogueVideo): FailureCode | undefined =>
  trouble && (saidOtherwise[platform]?.[trouble] ?? codes[trouble])

/** Another try, elsewhere or later, may go otherwise. */
export const isTransient = (code: FailureCode): boolean => code === 'platform_blocked' || code === 'upstream_error'
