import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import type { Reservation } from '#packages/media/download-budget.ts'
import type { OnWait } from '#packages/work/single-flight.ts'
import type { SocialPlatform } from '../registry.ts'
import type { RestingAccount } from './accounts.ts'
import type { VideoInfo } from './info.ts'

/** What every request to the reader carries. */
export type ReaderWish = {
  /** Of `parseVideoUrl`: nothing else may reach yt-dlp. */
  canonicalUrl: string
  platform: SocialPlatform
  /** The session's egress route: a worker serves one exit address at a time. */
  route: EgressRoute
  /** Who is served: no organization has all the workers. */
  organization?: string | undefined
  /** Told when it waits for the share of whom it serves. */
  onWait?: OnWait | undefined
  signal: AbortSignal
}

/**
 * Reads videos of the platforms with yt-dlp, in a bounded pool of long-lived workers. What a worker resolved it
 * keeps for a few minutes, and the pool gives later requests for the same video and route to the same worker where that
 * is idle: signed addresses answer only to who resolved them. A worker that does not have the video resolves it anew.
 *
 * All throw StepError (codes of `failure.ts`), and the signal's reason when aborted.
 */
export type Reader = AsyncDisposable & {
  /** What the video is: yt-dlp's info dictionary, the fields we use, checked. */
  info(wish: ReaderWish): Promise<VideoInfo>
  /** The bytes of a caption track of `info`, as text; empty where YouTube asks for a proof token. Never media. */
  captions(wish: ReaderWish, track: { language: string; automatic: boolean; ext: string }): Promise<string>
  /** Downloads one format of `info` to `path`; `reserve` is awaited before the bytes count as written. */
  media(
    wish: ReaderWish,
    asked: { formatId: string; path: string; maxBytes: number; reserve: Reservation['reserve'] },
  ): Promise<void>
  /** Accounts that are not used for a while, for `/ready`. */
  readonly restingAccounts: RestingAccount[]
}
