import type { Reservation } from '#packages/content/media/download-budget.ts'
import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import type { BrowserQuestion, PageAnswer } from '../reading/ask-platform.ts'
import type { SocialPlatform } from '../registry.ts'
import type { RestingAccount } from './accounts.ts'
import type { VideoInfo } from './info.ts'
import type { Withholding } from './warning-log.ts'

/** The fields of every request to the reader. */
export type ReaderWish = {
  /** From `parseVideoUrl`: no other URL may reach yt-dlp. */
  canonicalUrl: string
  platform: SocialPlatform
  /** The session's egress route: a worker serves one exit address at a time. */
  route: EgressRoute
  /** The organization of the request: none may occupy all workers. */
  organization?: string | undefined
  /** Called when the request starts or stops waiting for its organization's share. */
  onWait?: OnWait | undefined
  signal: AbortSignal
}

/** A request for a page or an interface on a platform's own hosts. */
export type PageWish = Omit<ReaderWish, 'canonicalUrl'> & BrowserQuestion

/**
 * Reads videos of the platforms with yt-dlp, in a bounded pool of long-lived workers. A worker keeps resolved data for
 * a few minutes. Signed addresses work only for the client that resolved them. So the pool sends later requests for the
 * same video and route to the same worker, if it is idle. Any other worker resolves the video again.
 *
 * All methods throw StepError with the codes of `failureRows`, and the signal's reason when aborted.
 */
export type Reader = AsyncDisposable & {
  /** The fields of yt-dlp's info dictionary that we use, checked. */
  info(wish: ReaderWish): Promise<VideoInfo>
  /**
   * A caption track of `info` as text. Never downloads media.
   * @throws CaptionsWithheld if the platform withholds it
   */
  captions(wish: ReaderWish, track: { language: string; automatic: boolean; ext: string }): Promise<string>
  /** Downloads one format of `info` to `path`. Awaits `reserve` before the bytes count as written. */
  media(
    wish: ReaderWish,
    asked: { formatId: string; path: string; maxBytes: number; reserve: Reservation['reserve'] },
  ): Promise<void>
  /**
   * Sends a request as a browser does: with its TLS and headers, and with the account's cookies. Solves a proof of
   * work.
   * @throws StepError `upstream_error` if there is no answer
   */
  page(wish: PageWish): Promise<PageAnswer>
  /** Accounts that rest, for `/ready`. */
  readonly restingAccounts: RestingAccount[]
  /** The platforms that withheld captions recently, for `/ready`. */
  readonly withholding: Withholding[]
}
