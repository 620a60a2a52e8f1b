// Written by `npm run contracts` from the schemas in contracts/. Do not edit.
/**
 * The job was taken on.
 */
export interface AcceptedJob {
  /**
   * To be used in the poll path.
   */
  jobId: string;
  status: "queued";
}
/**
 * The credits of the caller's organization.
 */
export interface Credits {
  /**
   * What the organization pays for.
   */
  plan: "free" | "starter" | "pro";
  /**
   * The month (UTC) that the available credits belong to, YYYY-MM; null where they belong to none and do not expire.
   */
  period: string | null;
  /**
   * Credits that jobs can take; the same as `creditsRemaining`.
   */
  available: number;
  /**
   * Credits taken for jobs that have not ended. What such a job does not cost comes back when it ends.
   */
  held: number;
  /**
   * When the available credits expire and the plan gives new ones; null where neither happens.
   */
  renewal: CreditsRenewal | null;
}
/**
 * The next renewal of the credits.
 */
export interface CreditsRenewal {
  /**
   * The first instant of the month in which they are renewed.
   */
  at: string;
  /**
   * Credits that are then available.
   */
  credits: number;
}
/**
 * A line of the ledger.
 */
export interface CreditsTransaction {
  /**
   * `debit`: credits were taken for a job. `settlement`: that job has ended; what it did not cost came back.
   */
  type: "grant" | "plan_change" | "renewal" | "debit" | "settlement";
  /**
   * When it was written.
   */
  createdAt: string;
  /**
   * By how many credits it changed the balance; negative where it took some.
   */
  amount: number;
  /**
   * Credits available after it.
   */
  balance: number;
  /**
   * Of a grant `sign_up` or `adjustment`; of a plan change the plan; of a renewal the month, YYYY-MM; of a settlement `completed` or the code of the failure; null of a debit.
   */
  reason: string | null;
  /**
   * The job that it is about; null where it is about none.
   */
  jobId: string | null;
  /**
   * What that job makes; null: not known.
   */
  operation: "transcript" | "extraction" | null;
  /**
   * The API key by which that job was asked for; null: not known.
   */
  keyId: string | null;
}
/**
 * One page of the ledger.
 */
export interface CreditsTransactionList {
  /**
   * Newest first.
   */
  transactions: CreditsTransaction[];
  /**
   * Given as `cursor` it brings the next page; null on the last one.
   */
  nextCursor: string | null;
}
/**
 * What every answer of status 400 and above carries.
 */
export interface ErrorObject {
  /**
   * Machine-readable code.
   */
  error:
    | "invalid_request"
    | "unauthorized"
    | "forbidden"
    | "not_found"
    | "method_not_allowed"
    | "idempotency_conflict"
    | "payload_too_large"
    | "unsupported_media_type"
    | "rate_limited"
    | "headers_too_large"
    | "internal_error"
    | "upstream_error"
    | "unavailable"
    | "timeout";
  /**
   * Plain-language description.
   */
  message: string;
  /**
   * null unless useful. For 400 a list of {path, message}; for 403 {reason, required, remaining}; for 502 {platform, code}.
   */
  details: unknown[] | {} | null;
  /**
   * Where this error is explained; null where no documentation is configured.
   */
  documentationUrl: string | null;
}
/**
 * An extraction job.
 */
export interface ExtractJob {
  /**
   * Identifier of the job.
   */
  jobId: string;
  /**
   * `completed` and `failed` are final.
   */
  status: "queued" | "completed" | "failed";
  /**
   * Present when completed; otherwise null. It fits the schema of the request; without one it is any object, and an answer that is none is its `result`.
   */
  resultJson: {
    [k: string]: unknown;
  } | null;
  /**
   * Why the job failed; otherwise null.
   */
  error: JobFailure | null;
}
/**
 * Why a job failed.
 */
export interface JobFailure {
  /**
   * Machine-readable code.
   */
  code: string;
  /**
   * Plain-language description.
   */
  message: string;
}
/**
 * Asks for information out of a video.
 */
export interface ExtractRequest {
  /**
   * Full public video URL, or a direct media file URL.
   */
  url: string;
  /**
   * What to extract or to analyze, in free form.
   */
  prompt: string;
  /**
   * Language hint for the transcription, a BCP 47 tag.
   */
  lang?: string;
  /**
   * JSON Schema (2020-12) that `resultJson` fits. At most 32 KB, 500 schemas, 32 levels and 50 patterns; it must allow an object. `$ref` leads to places inside of it and in no circle; patterns have no look-around and no back-references; `$id`, anchors, dynamic references and `unevaluated…` are not known.
   */
  schema?: {
    [k: string]: unknown;
  };
}
/**
 * The server is healthy.
 */
export interface Health {
  status: "ok";
}
/**
 * An Instagram creator.
 */
export interface InstagramProfile {
  /**
   * Always `instagram`.
   */
  platform: "instagram";
  /**
   * Always `profile`.
   */
  type: "profile";
  /**
   * Handle.
   */
  username: string;
  /**
   * Canonical profile URL.
   */
  url: string;
  /**
   * Account bio text; may be empty.
   */
  description: string;
  /**
   * Who it is.
   */
  author: {
    /**
     * Handle without `@`.
     */
    username: string;
    /**
     * Display name.
     */
    displayName: string | null;
    /**
     * Avatar image URL.
     */
    avatarUrl: string | null;
    /**
     * Whether the platform marks the account as verified.
     */
    verified: boolean;
  };
  /**
   * Counts.
   */
  stats: {
    /**
     * Followers.
     */
    followers: number | null;
    /**
     * Accounts followed.
     */
    following: number | null;
    /**
     * Total post count.
     */
    posts: number | null;
  };
  /**
   * Recent posts, newest first.
   */
  videos: ProfileVideo[];
}
/**
 * One item of a profile (specification: VideoMeta item).
 */
export interface ProfileVideo {
  /**
   * Platform identifier.
   */
  platform: "tiktok" | "instagram";
  /**
   * TikTok: `video`. Instagram: `video`, `post` (image) or `sidecar` (carousel).
   */
  type: "video" | "post" | "sidecar";
  /**
   * Platform identifier of the item.
   */
  id: string;
  /**
   * Item URL; usable in metadata, transcript and extract.
   */
  url: string;
  /**
   * Title.
   */
  title: string | null;
  /**
   * Caption text.
   */
  description: string | null;
  stats: Stats;
  media: ProfileMedia;
  /**
   * Hashtags without the leading `#`, in the order of the caption.
   */
  tags: string[];
  /**
   * When it was published, ISO 8601.
   */
  createdAt: string | null;
  /**
   * What only one platform has: `shortcode` of Instagram items.
   */
  additionalData: {
    /**
     * Instagram's code of the item, as in its URL.
     */
    shortcode?: string;
  };
}
/**
 * Counts of one video. null where the platform does not give the number, never 0.
 */
export interface Stats {
  /**
   * Views.
   */
  views: number | null;
  /**
   * Likes.
   */
  likes: number | null;
  /**
   * Comments.
   */
  comments: number | null;
  /**
   * Shares.
   */
  shares: number | null;
}
/**
 * What an item of a profile shows.
 */
export interface ProfileMedia {
  /**
   * `video` or `image`; of a carousel, that of its first part.
   */
  type: "video" | "image";
  /**
   * Thumbnail image URL.
   */
  thumbnailUrl: string | null;
  /**
   * Seconds; null for images and where the platform does not tell.
   */
  duration: number | null;
  /**
   * Direct media file URL, usable as `url` in transcript and extract. Instagram videos.
   */
  videoUrl?: string;
}
/**
 * One page of the organization's jobs.
 */
export interface JobList {
  /**
   * Newest first.
   */
  jobs: ListedJob[];
  /**
   * Given as `cursor` it brings the next page; null on the last one.
   */
  nextCursor: string | null;
}
/**
 * A job as the list shows it; its result is at its own address.
 */
export interface ListedJob {
  /**
   * To be used in the poll path of its kind.
   */
  jobId: string;
  /**
   * What was asked for.
   */
  kind: "transcript" | "extraction";
  /**
   * `completed` and `failed` are final.
   */
  status: "queued" | "completed" | "failed";
  /**
   * The video, in the canonical spelling of its URL.
   */
  url: string;
  /**
   * How the transcript was asked for; null for an extraction.
   */
  mode: "native" | "generate" | "auto" | null;
  /**
   * Platform of the video; `direct`: a media file.
   */
  platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
  /**
   * The API key by which it was asked for; null: not known.
   */
  keyId: string | null;
  /**
   * Length of the video in seconds; null while it is not known.
   */
  durationSeconds: number | null;
  /**
   * When the job was taken on.
   */
  createdAt: string;
  /**
   * When it was completed or failed; null while it is queued.
   */
  endedAt: string | null;
  /**
   * BCP 47 tag of the language of the video's text; null unless the job is completed, and where it is not known.
   */
  language: string | null;
  /**
   * The code of the error of a failed job; null unless it failed.
   */
  errorCode: string | null;
  /**
   * Credits that the job has cost; null while it is queued.
   */
  creditsCharged: number | null;
}
/**
 * An API key.
 */
export interface Key {
  /**
   * Identifier used in the revoke path.
   */
  id: string;
  /**
   * Label given at creation.
   */
  name: string;
  /**
   * First seven characters of the secret.
   */
  prefix: string;
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * ISO 8601 timestamp, to the minute, best effort.
   */
  lastUsedAt: string | null;
}
/**
 * An API key that was just made, with its secret, which is never shown again.
 */
export interface NewKey {
  /**
   * Identifier used in the revoke path.
   */
  id: string;
  /**
   * Label given at creation.
   */
  name: string;
  /**
   * First seven characters of the secret.
   */
  prefix: string;
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * ISO 8601 timestamp, to the minute, best effort.
   */
  lastUsedAt: string | null;
  /**
   * The secret.
   */
  key: string;
}
/**
 * Asks for a new key.
 */
export interface NewKeyRequest {
  /**
   * A label for the new key. Its characters are counted after trimming.
   */
  name: string;
}
/**
 * The caller's organization.
 */
export interface Organization {
  /**
   * Unique identifier of the organization.
   */
  orgId: string;
  /**
   * Display name of the organization.
   */
  name: string;
  /**
   * Credits left in the current billing period; credits of jobs in flight are already taken.
   */
  creditsRemaining: number;
}
/**
 * How the service stands, for operators.
 */
export interface Readiness {
  status: "ready";
  /**
   * Exit addresses that a platform refuses to answer; it is left alone there for a while.
   */
  blocked: {
    platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook";
    /**
     * `direct`, or the proxy's `host:port`, with its session.
     */
    exit: string;
    /**
     * `open`: not asked at all; `half-open`: being tried again.
     */
    state: "open" | "half-open";
    /**
     * ISO 8601, UTC.
     */
    since: string;
  }[];
  /**
   * The operator's accounts that are not used for a while, having been asked twice to sign in.
   */
  restingAccounts: {
    platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook";
    /**
     * ISO 8601, UTC.
     */
    until: string;
  }[];
}
/**
 * A key that is revoked for good.
 */
export interface RevokedKey {
  /**
   * Identifier of the key.
   */
  id: string;
  /**
   * Label given at creation.
   */
  name: string;
  /**
   * ISO 8601 timestamp.
   */
  revokedAt: string;
}
/**
 * A video that was found.
 */
export interface SearchResult {
  /**
   * Platform the video was found on.
   */
  platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook";
  /**
   * Canonical video URL; usable as `url` in metadata, transcript and extract.
   */
  url: string;
  /**
   * Title or caption.
   */
  title: string | null;
  /**
   * Creator handle or display name.
   */
  author: string | null;
  stats: Stats;
  /**
   * Seconds.
   */
  duration: number | null;
  /**
   * Thumbnail image URL.
   */
  thumbnail: string | null;
  /**
   * When it was published, ISO 8601; null where the platform tells no date.
   */
  createdAt: string | null;
}
/**
 * A TikTok creator.
 */
export interface TikTokProfile {
  /**
   * Always `tiktok`.
   */
  platform: "tiktok";
  /**
   * Always `profile`.
   */
  type: "profile";
  /**
   * Handle without `@`.
   */
  username: string;
  /**
   * Canonical profile URL.
   */
  url: string;
  /**
   * Who it is.
   */
  author: {
    /**
     * Handle without `@`.
     */
    username: string;
    /**
     * Display name.
     */
    displayName: string | null;
    /**
     * Avatar image URL.
     */
    avatarUrl: string | null;
    /**
     * Whether the platform marks the account as verified.
     */
    verified: boolean;
  };
  /**
   * Counts.
   */
  stats: {
    /**
     * Followers.
     */
    followers: number | null;
    /**
     * Accounts followed.
     */
    following: number | null;
    /**
     * Likes received by all videos.
     */
    likes: number | null;
    /**
     * Total post count.
     */
    videos: number | null;
  };
  /**
   * Most recent videos, newest first.
   */
  videos: ProfileVideo[];
}
/**
 * A job that exceeded its processing window: the Error object, and what a loop over the job's status looks for.
 */
export interface TimedOutJob {
  error: "timeout";
  /**
   * Plain-language description.
   */
  message: string;
  details: null;
  /**
   * Where this error is explained.
   */
  documentationUrl: string | null;
  /**
   * Identifier of the job.
   */
  jobId: string;
  status: "failed";
  resultJson: null;
}
/**
 * A transcript job.
 */
export interface TranscriptJob {
  /**
   * Identifier of the job.
   */
  jobId: string;
  /**
   * `completed` and `failed` are final.
   */
  status: "queued" | "completed" | "failed";
  /**
   * Present when completed; otherwise null.
   */
  resultJson: TranscriptResult | null;
  /**
   * Why the job failed; otherwise null.
   */
  error: JobFailure | null;
}
/**
 * A transcript.
 */
export interface TranscriptResult {
  /**
   * Full transcript as one string.
   */
  text: string;
  /**
   * Timestamped segments.
   */
  segments: {
    /**
     * Seconds.
     */
    start: number;
    /**
     * Seconds.
     */
    end: number;
    /**
     * What is said or shown.
     */
    text: string;
  }[];
  /**
   * BCP 47 tag of the text; null when it is not known.
   */
  language: string | null;
  /**
   * Where the text comes from.
   */
  source: "captions" | "automatic_captions" | "speech";
}
/**
 * Asks for the transcript of a video.
 */
export interface TranscriptRequest {
  /**
   * Full public video URL, or a direct media file URL.
   */
  url: string;
  /**
   * `native`: platform captions, 1 credit. `generate`: AI speech-to-text, 5 credits. `auto`: native first, AI if native is unavailable; 5 credits are taken and 4 given back where captions served.
   */
  mode?: "native" | "generate" | "auto";
  /**
   * Language hint, a BCP 47 tag.
   */
  lang?: string;
}
/**
 * What the jobs of the caller's organization have cost, by the day (UTC) on which their credits were settled.
 */
export interface Usage {
  /**
   * The first day.
   */
  from: string;
  /**
   * The last day.
   */
  to: string;
  /**
   * What the groups are.
   */
  groupBy: "day" | "operation" | "key" | "platform";
  /**
   * Groups with at least one job: days in order, others by what they have cost, the most first.
   */
  groups: UsageGroup[];
  totals: UsageCost;
}
/**
 * What the jobs of one group have cost.
 */
export interface UsageGroup {
  /**
   * A day, an operation, the id of a key or a platform; `unknown` where it is not known.
   */
  group: string;
  /**
   * Jobs that have ended.
   */
  jobs: number;
  /**
   * Credits that they have cost.
   */
  creditsCharged: number;
  /**
   * Credits that were taken for them and came back.
   */
  creditsRefunded: number;
}
/**
 * What jobs have cost.
 */
export interface UsageCost {
  /**
   * Jobs that have ended.
   */
  jobs: number;
  /**
   * Credits that they have cost.
   */
  creditsCharged: number;
  /**
   * Credits that were taken for them and came back.
   */
  creditsRefunded: number;
}
/**
 * What is known of one video. A number that the source does not give is null, never 0.
 */
export interface VideoMetadata {
  /**
   * Title of the video.
   */
  title: string | null;
  /**
   * Display name of the channel or account.
   */
  author: string | null;
  /**
   * Platform identifier; `direct` for a media file.
   */
  platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
  /**
   * Seconds.
   */
  duration: number | null;
  /**
   * As reported by the platform.
   */
  viewCount: number | null;
  /**
   * As reported by the platform.
   */
  likeCount: number | null;
  /**
   * Thumbnail image URL.
   */
  thumbnail: string | null;
}
