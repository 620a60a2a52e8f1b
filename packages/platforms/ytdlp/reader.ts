import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import type { Reservation } from '#packages/media/download-budget.ts'
import type { OnWait } from '#packages/work/single-flight.ts'
import type { SocialPlatform } from '../registry.ts'
import type { RestingAccount } from './accounts.ts'
import type { VideoInfo } from './info.ts'
import type { Withholding } from './warning-log.ts'

/** The fields of every request to the reader. */
export type ReaderWish = {
  /** Made by `parseVideoUrl`: no other URL may reach yt-dlp. */
  canonicalUrl: string
  platform: SocialPlatform
  /** The session's egress route: a worker serves one exit address at a time. */
  route: EgressRoute
  /** On whose behalf: no organization may occupy all workers. */
  organization?: string | undefined
  /** Called when the request starts or stops waiting for its organization's share. */
  onWait?: OnWait | undefined
  signal: AbortSignal
}

/**
 * Reads videos of the platforms with yt-dlp, in a bounded pool of long-lived workers. A worker keeps what it resolved
 * for a few minutes. Signed addresses work only for the client that resolved them, so the pool gives later requests for
 * the same video and route to the same worker if it is idle; any other worker resolves the video again.
 *
 * All throw StepError with the codes of `failureRows`, and the signal's reason when aborted.
 */
export type Reader = AsyncDisposable & {
  /** The fields of yt-dlp's info dictionary that we use, checked. */
  info(wish: ReaderWish): Promise<VideoInfo>
  /**
   * A caption track of `info` as text. Never downloads media.
   * @throws CaptionsWithheld where the platform keeps it from us
   */
  captions(wish: ReaderWish, track: { language: string; automatic: boolean; ext: string }): Promise<string>
  /** Downloads one format of `info` to `path`; `reserve` is awaited before the bytes count as written. */
  media(
    wish: ReaderWish,
    asked: { formatId: string; path: string; maxBytes: number; reserve: Reservation['reserve'] },
  ): Promise<void>
  /** Accounts that are not used for a while, for `/ready`. */
  readonly restingAccounts: RestingAccount[]
  /** The platforms that held captions back lately, likewise. */
  readonly withholding: Withholding[]
}
