// Written by `npm run contracts` from the schemas in contracts/. Do not edit.
/**
 * Why a request was not answered as asked, for programs. `/docs/errors` explains each.
 */
export type ErrorCode =
  | "invalid_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "idempotency_conflict"
  | "job_not_ended"
  | "payload_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "headers_too_large"
  | "internal_error"
  | "upstream_error"
  | "unavailable"
  | "timeout";
/**
 * Why a job failed, or why a video or a profile could not be looked up, for programs. `/docs/errors` explains each.
 */
export type FailureCode =
  | "video_unavailable"
  | "video_private"
  | "profile_not_found"
  | "age_restricted"
  | "geo_blocked"
  | "login_required"
  | "platform_blocked"
  | "captions_unavailable"
  | "no_speech"
  | "media_unsupported"
  | "media_too_large"
  | "media_too_long"
  | "live_not_ended"
  | "insufficient_credits"
  | "extraction_invalid"
  | "result_too_large"
  | "timeout"
  | "upstream_error"
  | "internal_error"
  | "cancelled"
  | "not_accepted";
/**
 * How the result of a job differs from what was asked for.
 */
export type JobWarning =
  | {
      code: "language_unknown";
      /**
       * BCP 47 tag of the language that was probably meant; null if none is near.
       */
      didYouMean: string | null;
    }
  | {
      code: "language_unavailable";
      /**
       * BCP 47 tags of the languages that there are.
       */
      available: string[];
    }
  | {
      code: "language_contradicted";
      /**
       * BCP 47 tag of the language that is spoken.
       */
      heard: string;
      probability: number;
    }
  | {
      code: "words_unavailable";
    }
  | {
      code: "vocabulary_unheeded";
      /**
       * So many characters of it were heeded, whole terms from its beginning.
       */
      heeded: number;
    }
  | {
      code: "captions_unread";
      /**
       * Why, as a failure code: `platform_blocked` if the platform withholds them from this service.
       */
      reason: string;
    };
/**
 * `job.completed`, `job.failed`: a job has ended. `credits.low`: fewer credits are left than a tenth of the plan's monthly ones, or than 10 if that is more; sent once until they rise above it. `batch.ended`: a batch has ended. `watch.found`: a watch has found new videos.
 */
export type WebhookEventType = "job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended";

/**
 * A message that is on its way.
 */
export interface AcceptedDelivery {
  /**
   * Identifier of the delivery.
   */
  deliveryId: string;
}
/**
 * The job was accepted.
 */
export interface AcceptedJob {
  /**
   * To be used in the poll path.
   */
  jobId: string;
  status: "queued";
}
/**
 * What is sent again.
 */
export interface AcceptedReplay {
  /**
   * ISO 8601 timestamp: what has happened from then on.
   */
  from: string;
}
/**
 * A batch in a list.
 */
export interface Batch {
  /**
   * Identifier of the batch.
   */
  batchId: string;
  /**
   * What is asked for each item.
   */
  operation: "transcript" | "extraction";
  /**
   * Whether it has ended.
   */
  status: "running" | "ended";
  /**
   * How it ended. `completed`: every item has ended by itself. `cancelled`: it was cancelled. `key_revoked`: the key that made it was revoked. `source_failed`: its source could not be read. `not_accepted`: it was not accepted in time, and nothing was charged. Null: it has not.
   */
  reason: "completed" | "cancelled" | "key_revoked" | "source_failed" | "not_accepted" | null;
  /**
   * How many items are known: those of a source are read in the course of it.
   */
  items: number;
  /**
   * Items that have completed.
   */
  completed: number;
  /**
   * Items that have failed.
   */
  failed: number;
  /**
   * What it may cost, and what it has cost.
   */
  credits: {
    /**
     * Held for it when it was accepted.
     */
    held: number;
    /**
     * What its ended items have cost.
     */
    charged: number;
  };
  /**
   * When it was accepted.
   */
  createdAt: string;
  /**
   * When it ended; null: it has not.
   */
  endedAt: string | null;
}
/**
 * A batch with all that is known of it, but for its items.
 */
export interface BatchDetails {
  /**
   * Identifier of the batch.
   */
  batchId: string;
  /**
   * What is asked for each item.
   */
  operation: "transcript" | "extraction";
  /**
   * What is asked for each item, as far as it is not the default.
   */
  options: {
    [k: string]: unknown;
  };
  /**
   * The source of its items; null: the request listed them.
   */
  source: WatchSource | null;
  /**
   * Only videos published from then on are read; null: all.
   */
  since: string | null;
  /**
   * The most items that it may have.
   */
  limit: number;
  /**
   * Whether it has ended.
   */
  status: "running" | "ended";
  /**
   * How it ended. `completed`: every item has ended by itself. `cancelled`: it was cancelled. `key_revoked`: the key that made it was revoked. `source_failed`: its source could not be read. `not_accepted`: it was not accepted in time, and nothing was charged. Null: it has not.
   */
  reason: "completed" | "cancelled" | "key_revoked" | "source_failed" | "not_accepted" | null;
  /**
   * Whether all its items are known.
   */
  complete: boolean;
  /**
   * Whether nothing begins any more.
   */
  cancelled: boolean;
  /**
   * How many items are known: those of a source are read in the course of it.
   */
  items: number;
  /**
   * Requests that were left out because they are invalid.
   */
  skippedLines: number;
  /**
   * Whether webhooks are told of the end of each of its jobs.
   */
  itemWebhooks: boolean;
  /**
   * How many items are in each state.
   */
  counts: {
    /**
     * Items that are queued.
     */
    queued: number;
    /**
     * Items of state `working`.
     */
    working: number;
    /**
     * Items of state `completed`.
     */
    completed: number;
    /**
     * Items of state `failed`.
     */
    failed: number;
    /**
     * Items of state `cancelled`.
     */
    cancelled: number;
  };
  /**
   * Its credits.
   */
  credits: {
    /**
     * Held when it was accepted.
     */
    held: number;
    /**
     * What its ended items have cost.
     */
    charged: number;
    /**
     * What has come back at its end; 0 before.
     */
    returned: number;
  };
  /**
   * When it was accepted.
   */
  createdAt: string;
  /**
   * The key that made it; null: it was made on the dashboard.
   */
  createdBy: string | null;
  /**
   * When it ended; null: it has not.
   */
  endedAt: string | null;
  /**
   * When it will have ended at the pace so far; null: it has ended.
   */
  expectedEndAt: string | null;
}
/**
 * A source of videos, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
 */
export interface WatchSource {
  /**
   * What it is.
   */
  type: "channel" | "playlist" | "profile" | "search";
  /**
   * Of a channel or playlist of YouTube, or of a profile.
   */
  url?: string;
  /**
   * Of a channel of YouTube, instead of `url`.
   */
  handle?: string;
  /**
   * Of a channel or playlist of YouTube, instead of `url`.
   */
  id?: string;
  /**
   * Of a channel: what of it. `videos` if omitted.
   */
  list?: "videos" | "shorts" | "lives";
  /**
   * Of a profile, instead of `url`.
   */
  username?: string;
  /**
   * Of a profile (required) or of a search; a search without one is on all of them.
   */
  platform?: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | null;
  /**
   * Of a search: what is looked for.
   */
  q?: string;
}
/**
 * One video of a batch.
 */
export interface BatchItem {
  /**
   * Its number in the batch, from 0 on.
   */
  item: number;
  /**
   * Its URL in canonical spelling.
   */
  url: string;
  /**
   * Lines of the body that ask for it, from 1 on; in JSON the numbers of the requests. For a source: its place there.
   */
  lines: number[];
  /**
   * `queued`: it has not started, or begins again. `cancelled`: it never will.
   */
  state: "queued" | "working" | "completed" | "failed" | "cancelled";
  /**
   * Its newest job; null: it has none.
   */
  jobId: string | null;
  /**
   * Why its last job failed, or why it ended without one; null: it did not.
   */
  code: string | null;
  /**
   * Credits that it has cost.
   */
  charged: number;
}
/**
 * One page of the items of a batch.
 */
export interface BatchItemList {
  /**
   * In their order.
   */
  items: BatchItem[];
  /**
   * Given as `cursor` it brings the next page; null on the last one.
   */
  nextCursor: string | null;
}
/**
 * One page of the organization's batches.
 */
export interface BatchList {
  /**
   * Newest first.
   */
  batches: Batch[];
  /**
   * Given as `cursor` it brings the next page; null on the last one.
   */
  nextCursor: string | null;
}
/**
 * Captions that a video has.
 */
export interface CaptionTrack {
  /**
   * BCP 47 tag; null when it is not known.
   */
  language: string | null;
  /**
   * `captions`: made by a person. `automatic_captions`: heard by a machine.
   */
  source: "captions" | "automatic_captions";
}
/**
 * A chapter of a video.
 */
export interface Chapter {
  /**
   * Seconds.
   */
  start: number;
  /**
   * Seconds; null when it is not known.
   */
  end: number | null;
  title: string;
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
   * The month (UTC) that the available credits belong to, YYYY-MM; null if they belong to none and do not expire.
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
   * When the available credits expire and the plan gives new ones; null if neither happens.
   */
  renewal: CreditsRenewal | null;
}
/**
 * The next renewal of the credits.
 */
export interface CreditsRenewal {
  /**
   * The start of the month that renews them.
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
   * `debit`: credits were taken for a job; 0 if they are taken out of the hold of its batch. `settlement`: that job has ended; what it did not cost came back. `hold`: credits were set aside for a batch. `release`: that has ended; what was left came back. `opening`: the balance with which the ledger begins, if older lines are no longer kept; it is then the last line.
   */
  type: "grant" | "plan_change" | "renewal" | "debit" | "settlement" | "hold" | "release" | "opening";
  /**
   * When it was written.
   */
  createdAt: string;
  /**
   * By how many credits it changed the balance; negative if it took some; of an opening the whole balance.
   */
  amount: number;
  /**
   * Credits available after it.
   */
  balance: number;
  /**
   * Of a grant `sign_up` or `adjustment`; of a plan change the plan; of a renewal the month, YYYY-MM; of a settlement `completed` or the code of the failure; null of all others.
   */
  reason: string | null;
  /**
   * The job that it is about; null if it is about none.
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
  /**
   * The batch that it is about; null if it is about none.
   */
  batchId: string | null;
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
 * A job whose content is deleted for good.
 */
export interface DeletedContent {
  /**
   * Identifier of the job, which is not found under it any more.
   */
  jobId: string;
  /**
   * ISO 8601 timestamp.
   */
  deletedAt: string;
}
/**
 * A watch that is gone for good.
 */
export interface DeletedWatch {
  /**
   * Identifier of the watch.
   */
  watchId: string;
  /**
   * ISO 8601 timestamp.
   */
  deletedAt: string;
}
/**
 * A webhook that is gone for good.
 */
export interface DeletedWebhook {
  /**
   * Identifier of the webhook.
   */
  id: string;
  /**
   * ISO 8601 timestamp.
   */
  deletedAt: string;
}
/**
 * Facts about an error, for programs. Which there are depends on the error; more may come. `code`: if a lookup failed, the failure code that a job would have.
 */
export interface ErrorFacts {
  /**
   * For 403: `insufficient_credits`, `monthly_credits` (of the key), `plan`, `scope` (of the key), `key_limits` (a new key would exceed those of the key that makes it) or `other_key` (the key may not revoke it).
   */
  reason?: string;
  /**
   * For 403: what the request needs: credits for `insufficient_credits` and `monthly_credits`, the name of the scope for `scope`.
   */
  required?: number | string;
  /**
   * For 403: what is left of it.
   */
  remaining?: number;
  /**
   * For `insufficient_credits` and `plan`: the page of larger plans. Missing if the service does not know its public address, or has no dashboard.
   */
  plansUrl?: string;
  /**
   * For `key_limits`: the fields of the new key that exceed those of the key that makes it.
   */
  exceeded?: string[];
  /**
   * If a lookup failed: the platform; null if several were searched.
   */
  platform?: string | null;
  code?: FailureCode;
  /**
   * For 503: a job that may have been started.
   */
  jobId?: string;
  [k: string]: unknown;
}
/**
 * What every answer of status 400 and above carries.
 */
export interface ErrorObject {
  error: ErrorCode;
  /**
   * Plain-language description.
   */
  message: string;
  /**
   * null unless useful.
   */
  details: RequestProblem[] | ErrorFacts | null;
  /**
   * The page that explains this error: `/docs/errors` of this service, at the code in `details` if there is one, else at `error`. null if the service does not know its public address.
   */
  documentationUrl: string | null;
}
/**
 * One place of a request, and what is wrong there. `code`: if the URL leads to a video that cannot be used, the failure code that a job would have.
 */
export interface RequestProblem {
  /**
   * The field, parameter or header.
   */
  path: string;
  /**
   * What is wrong with it.
   */
  message: string;
  code?: FailureCode;
  /**
   * Of a request for a batch: the line of the body, or in JSON the number of the request.
   */
  line?: number;
}
/**
 * What a job would cost and how long it would take, as far as it can be told now.
 */
export interface Estimate {
  kind: "transcript" | "extraction";
  credits: {
    /**
     * Credits that its POST takes. If it would be refused: those it would have to take. 0 if the job reuses a result.
     */
    held: number;
    /**
     * Credits that it has cost once it is completed. A failed job is refunded in full.
     */
    charged: {
      least: number;
      likely: number;
      most: number;
    };
  };
  /**
   * The caption tracks of the video; null if they are not known.
   */
  captions: CaptionTrack[] | null;
  /**
   * Length of the video in seconds; null when it is not known.
   */
  duration: number | null;
  /**
   * An estimate of the time from the POST to the end of the job, without waiting for other jobs: from the length of the video and the speed measured on others. Null if unknown.
   */
  seconds: number | null;
  /**
   * How long the job would wait for its turn, seconds, in the queue as it is now: as long as jobs in it have waited. Null if its POST would be refused.
   */
  waitSeconds: number | null;
  /**
   * Why its POST would be refused: its answer. Null if it would be accepted.
   */
  refusal: {
    /**
     * Of the answer.
     */
    status: number;
    error: ErrorCode;
    /**
     * Plain-language description.
     */
    message: string;
    /**
     * `details` of the Error object.
     */
    details: RequestProblem[] | ErrorFacts | null;
    /**
     * `Retry-After` of the answer.
     */
    retryAfterSeconds: number | null;
  } | null;
  /**
   * Why the job would fail: its `error`. `media_too_long`: the video is too long for the whole time of a job. `timeout`: `waitSeconds` and the time that it takes itself are longer than that: later it may be done. Null if no reason is known.
   */
  failure: JobFailure | null;
}
/**
 * Why a job failed.
 */
export interface JobFailure {
  code: FailureCode;
  /**
   * Plain-language description.
   */
  message: string;
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
   * Language hint for the transcription: a BCP 47 tag, or the English or native name of a language.
   */
  lang?: string;
  /**
   * `lang` is a condition: an unknown language is a 400, and captions in any other language do not count: the sound is then transcribed. Without `lang` it changes nothing.
   */
  strictLang?: boolean;
  /**
   * If there are no captions in `lang`, those translated into it by the platform may be used. Without `lang` it changes nothing.
   */
  translate?: boolean;
  /**
   * JSON Schema (2020-12) that `resultJson` fits, as Pydantic, Zod, TypeBox, Valibot, Gemini's and OpenAI's helpers write it: also as a whole `response_format`, with tuples of draft 7, and with `nullable: true`. At most 32 KB, 500 schemas, 32 levels and 50 patterns; it must allow an object. `$ref` must point inside the schema, and may be recursive only through a property or an item. Patterns have no look-around, but for those that these libraries write, and no back-references; anchors and dynamic references are not supported. `multipleOf` is decimal: 19.99 is a multiple of 0.01. A result has at most 64 levels and 100,000 values.
   */
  schema?: {
    [k: string]: unknown;
  };
  /**
   * Names and terms to expect, separated by commas, the most important first: a transcription spells them this way. Captions are not changed. A speech engine may use only the first of them, or none: `GET /v1/jobs/{jobId}` then warns.
   */
  vocabulary?: string;
  /**
   * If the platform refuses to answer, the job fails with `platform_blocked` at once, refunded; otherwise it is retried until its window ends.
   */
  failFast?: boolean;
  /**
   * Where to tell that the job has ended, by a `job.completed` or a `job.failed`: a shorthand for a webhook. Needs the scope `webhooks` too, and the secret of `POST /v1/webhooks/secret`, which signs the messages. Its host counts among the webhooks of the plan for a day.
   */
  webhookUrl?: string;
  /**
   * If the organization has a completed job with the same request that is at most 24 hours old and not deleted, the new job ends at once with its result, for 0 credits. Otherwise it is an ordinary job.
   */
  reuse?: boolean;
}
/**
 * A new video that a watch has found.
 */
export interface FoundVideo {
  /**
   * Of the watch, from 1 on.
   */
  number: number;
  /**
   * Identifies it: the platform and its id there.
   */
  id: string;
  /**
   * Canonical URL.
   */
  url: string;
  /**
   * Title; null if the source has none.
   */
  title: string | null;
  /**
   * When it was published; null in a playlist, and if that is not known.
   */
  publishedAt: string | null;
  /**
   * When it was found.
   */
  foundAt: string;
  /**
   * Its job; null: there is none, or none yet.
   */
  jobId: string | null;
  /**
   * Why its job was refused; null: it was not.
   */
  code: string | null;
}
/**
 * New videos, each once, in the order in which they were found.
 */
export interface FoundVideoList {
  /**
   * The videos.
   */
  found: FoundVideo[];
  /**
   * Send it as `after` for what comes next, now or later.
   */
  next: number;
  /**
   * Whether there are more already.
   */
  hasMore: boolean;
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
 * One item of a profile (specification: VideoMeta item), of a channel or of a playlist.
 */
export interface ProfileVideo {
  /**
   * Platform identifier.
   */
  platform: "tiktok" | "instagram" | "youtube";
  /**
   * TikTok and YouTube: `video`. Instagram: `video`, `post` (image) or `sidecar` (carousel).
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
   * Hashtags without the leading `#`, in the order of the caption; null in lists of YouTube, which show no captions.
   */
  tags: string[] | null;
  /**
   * When it was published, ISO 8601; null in lists of YouTube, which tell no dates.
   */
  createdAt: string | null;
  /**
   * The platform's id of the account that published it: it stays when the account takes another name.
   */
  authorId: string | null;
  /**
   * Page of the account that published it.
   */
  authorUrl: string | null;
  /**
   * Whether it is being broadcast now; null if the platform does not say.
   */
  isLive: boolean | null;
  /**
   * What only one platform has: `shortcode` of Instagram items, `channel` of YouTube items.
   */
  additionalData: {
    /**
     * Instagram's code of the item, as in its URL.
     */
    shortcode?: string;
    /**
     * Name of the YouTube channel that published the item, if the list tells it.
     */
    channel?: string;
  };
}
/**
 * Counts of one video. null if the platform does not give the number, never 0.
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
   * Seconds; null for images and if the platform does not tell.
   */
  duration: number | null;
  /**
   * Direct media file URL, usable as `url` in transcript and extract. Instagram videos.
   */
  videoUrl?: string;
}
/**
 * The credits of a job.
 */
export interface JobCredits {
  /**
   * Taken from the balance and not settled yet; 0 once they are.
   */
  held: number;
  /**
   * What the job cost in the end, 0 if it failed; null until it is settled.
   */
  charged: number | null;
}
/**
 * Everything about a job but its result, which is at the address of its kind.
 */
export interface JobDetails {
  /**
   * Identifier of the job.
   */
  jobId: string;
  /**
   * What was asked for.
   */
  kind: "transcript" | "extraction";
  /**
   * As a poll of the job shows it. `completed` and `failed` are final.
   */
  status: "queued" | "completed" | "failed";
  /**
   * Where the job stands. `waiting`: for what `waitingFor` says. `working`: a worker is at its step. `settling`: it has ended, and shows how as soon as its credits are settled, usually within milliseconds. The others are final.
   */
  state: "waiting" | "working" | "settling" | "completed" | "failed" | "cancelled";
  /**
   * The video, in the canonical spelling of its URL; null if the job was never accepted.
   */
  url: string | null;
  /**
   * As it was asked for; null for an extraction.
   */
  mode: "native" | "generate" | "auto" | null;
  /**
   * The step at work, or the next one; null once the job has ended.
   */
  step: "fetch" | "caption" | "speech-to-text" | "extract" | null;
  /**
   * Which attempt of that step this is, or will be; null once the job has ended.
   */
  attempt: number | null;
  /**
   * The part of the step at work that is done; null if that is not known. Known for speech-to-text if it runs in the process that answers.
   */
  progress: number | null;
  /**
   * What the job waits for; null unless its `state` is `waiting`.
   */
  waitingFor: JobWait | null;
  credits: JobCredits;
  /**
   * The job whose result this one has, because its request allowed it (`reuse`); null: it made its own.
   */
  reused: string | null;
  /**
   * The language of the text, a BCP 47 tag; null if there is none yet, or it is not known.
   */
  language: string | null;
  /**
   * How the result differs from what was asked for; mostly none.
   */
  warnings: JobWarning[];
  /**
   * Why the job failed; otherwise null.
   */
  error: JobFailure | null;
  /**
   * Names the trace of the job, from its request to its end.
   */
  traceId: string;
  /**
   * When the job was accepted.
   */
  createdAt: string;
  /**
   * When a worker first began; null before that.
   */
  startedAt: string | null;
  /**
   * The job times out then, unless it has ended; null if it was never accepted.
   */
  deadlineAt: string | null;
  /**
   * When it was completed, failed or was cancelled; null before that.
   */
  endedAt: string | null;
}
/**
 * What a job waits for before its next attempt.
 */
export interface JobWait {
  /**
   * `worker`: a worker that is free. `pace`: its turn, because the limit of reads per minute for the platform is reached. Any other is the failure code of the last attempt, such as `platform_blocked`.
   */
  reason: string;
  /**
   * The platform that refuses to answer or is read by turns, if the reason is `platform_blocked` or `pace`; otherwise null.
   */
  platform: string | null;
  /**
   * The next attempt begins then at the earliest; null if that is not known.
   */
  until: string | null;
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
   * Registrable domain of the video's URL, by the public suffix list; an IP address as it is.
   */
  domain: string;
  /**
   * The API key by which it was asked for; null: not known.
   */
  keyId: string | null;
  /**
   * By which surface it was asked for: `/v1`, the tool server, or the dashboard.
   */
  surface: "api" | "mcp" | "dashboard" | "batch" | "watch";
  /**
   * Title of the video; null while it is not known, and if it has none.
   */
  title: string | null;
  /**
   * Name of the video's author; null while it is not known, and if it has none.
   */
  author: string | null;
  /**
   * Thumbnail image URL, as the platform gave it when the job read the video: it may have expired. Null while it is not known, and if there is none.
   */
  thumbnail: string | null;
  /**
   * Length of the video in seconds; null while it is not known.
   */
  durationSeconds: number | null;
  /**
   * When the job was accepted.
   */
  createdAt: string;
  /**
   * When it was completed or failed; null while it is queued.
   */
  endedAt: string | null;
  /**
   * BCP 47 tag of the language of the video's text; null unless the job is completed, and if it is not known.
   */
  language: string | null;
  /**
   * The code of the error of a failed job; null unless it failed.
   */
  errorCode: string | null;
  /**
   * What went wrong, for people; null unless it failed.
   */
  errorMessage: string | null;
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
  /**
   * What the key may be used for. Missing if it may be used for everything.
   *
   * @minItems 1
   */
  scopes?: ["read" | "jobs" | "keys" | "webhooks", ...("read" | "jobs" | "keys" | "webhooks")[]];
  /**
   * The most credits that jobs of this key may take in a calendar month (UTC). Missing if there is no such cap.
   */
  monthlyCredits?: number;
  /**
   * ISO 8601 timestamp: from this instant on the key is answered 401. It stays in the list until it is revoked. Missing if the key does not expire.
   */
  expiresAt?: string;
}
/**
 * Asks for a batch: for the same of each of many videos.
 */
export interface NewBatchRequest {
  /**
   * `transcript`: as `POST /v1/transcript`. `extraction`: as `POST /v1/extract`.
   */
  operation: "transcript" | "extraction";
  /**
   * The body of that request, without `url`, `webhookUrl` and `reuse`.
   */
  options?: {
    [k: string]: unknown;
  };
  /**
   * The videos. Equal ones are read and charged once. Either these or `source`.
   *
   * @maxItems 5000
   */
  requests?: (
    | string
    | {
        /**
         * URL of a video.
         */
        url: string;
      }
  )[];
  /**
   * The source of the videos, newest first, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
   */
  source?: {
    /**
     * What it is.
     */
    type: "channel" | "playlist" | "profile" | "search";
    /**
     * Of a channel or playlist of YouTube, or of a profile.
     */
    url?: string;
    /**
     * Of a channel of YouTube, instead of `url`.
     */
    handle?: string;
    /**
     * Of a channel or playlist of YouTube, instead of `url`.
     */
    id?: string;
    /**
     * Of a channel: what of it. `videos` if omitted.
     */
    list?: "videos" | "shorts" | "lives";
    /**
     * Of a profile, instead of `url`.
     */
    username?: string;
    /**
     * Of a profile (required) or of a search; a search without one is on all of them.
     */
    platform?: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | null;
    /**
     * Of a search: what is looked for.
     */
    q?: string;
  };
  /**
   * With `source`, which requires it: the most videos that are read. For so many credits are held.
   */
  limit?: number;
  /**
   * With `source`: only videos published from then on. If the list has no dates, each video is looked up; one without a date is included.
   */
  since?: string;
  /**
   * The most that the batch may cost. Items that it does not cover end with `insufficient_credits`, uncharged.
   */
  maxCredits?: number;
  /**
   * Whether invalid requests are left out. Else one of them refuses the whole.
   */
  skipInvalid?: boolean;
  /**
   * Notified when the batch ends (`batch.ended`), in addition to the webhooks that want every end. Needs a key that may `webhooks`.
   */
  webhookUrl?: string;
  /**
   * Whether webhooks are told of the end of each of its jobs, too (`job.completed`, `job.failed`).
   */
  itemWebhooks?: boolean;
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
   * What the key may be used for. Missing if it may be used for everything.
   *
   * @minItems 1
   */
  scopes?: ["read" | "jobs" | "keys" | "webhooks", ...("read" | "jobs" | "keys" | "webhooks")[]];
  /**
   * The most credits that jobs of this key may take in a calendar month (UTC). Missing if there is no such cap.
   */
  monthlyCredits?: number;
  /**
   * ISO 8601 timestamp: from this instant on the key is answered 401. It stays in the list until it is revoked. Missing if the key does not expire.
   */
  expiresAt?: string;
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
  /**
   * What the key may be used for: `read` (every GET but those of keys, and estimates), `jobs` (requesting and cancelling jobs), `keys` (listing, making and revoking keys), `webhooks` (everything about webhooks, and `webhookUrl` of a job). Left out: everything.
   *
   * @minItems 1
   */
  scopes?: ["read" | "jobs" | "keys" | "webhooks", ...("read" | "jobs" | "keys" | "webhooks")[]];
  /**
   * The most credits that jobs of this key may take in a calendar month (UTC); what is refunded does not count. Left out: as many as the organization has.
   */
  monthlyCredits?: number;
  /**
   * ISO 8601 timestamp with a time zone, in the future: from this instant on the key is answered 401. Left out: it does not expire.
   */
  expiresAt?: string;
}
/**
 * Asks for a watch.
 */
export interface NewWatchRequest {
  /**
   * A source of videos, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
   */
  source: {
    /**
     * What it is.
     */
    type: "channel" | "playlist" | "profile" | "search";
    /**
     * Of a channel or playlist of YouTube, or of a profile.
     */
    url?: string;
    /**
     * Of a channel of YouTube, instead of `url`.
     */
    handle?: string;
    /**
     * Of a channel or playlist of YouTube, instead of `url`.
     */
    id?: string;
    /**
     * Of a channel: what of it. `videos` if omitted.
     */
    list?: "videos" | "shorts" | "lives";
    /**
     * Of a profile, instead of `url`.
     */
    username?: string;
    /**
     * Of a profile (required) or of a search; a search without one is on all of them.
     */
    platform?: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | null;
    /**
     * Of a search: what is looked for.
     */
    q?: string;
  };
  /**
   * How often it looks. A plan allows `1d` (Free), `1h` (Starter) or `15m` (Pro) at most.
   */
  every: "15m" | "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "1d";
  /**
   * What is asked for each new video.
   */
  then?: {
    /**
     * `transcript`: as `POST /v1/transcript`. `extraction`: as `POST /v1/extract`.
     */
    operation: "transcript" | "extraction";
    /**
     * The body of that request, without `url`, `webhookUrl` and `reuse`.
     */
    options?: {
      [k: string]: unknown;
    };
  };
  /**
   * Credits that its jobs may take in a calendar month (UTC). Required with `then`. A job that fails gives its credits back.
   */
  maxCreditsPerMonth?: number;
  /**
   * How many videos of the first look count as new, the newest; of a playlist its first. 0 if omitted.
   */
  backfill?: number;
  /**
   * Is notified of what it finds (`watch.found`), in addition to the webhooks that are notified of every watch. Needs a key that may `webhooks`.
   */
  webhookUrl?: string;
}
/**
 * A webhook that was just made, with its secret, which is never shown again.
 */
export interface NewWebhook {
  /**
   * Identifier of the webhook.
   */
  id: string;
  /**
   * `endpoint`: is notified of its events. `url`: stands for the `webhookUrl` of jobs, and is notified when they end.
   */
  kind: "endpoint" | "url";
  /**
   * The host of its URL.
   */
  host: string;
  /**
   * The events that it gets; empty for a `url`.
   */
  events: WebhookEventType[];
  /**
   * Whether a small result comes with the message.
   */
  results: boolean;
  /**
   * Whether messages are sent.
   */
  status: "on" | "off";
  /**
   * Why it is off. `asked`: the organization switched it off. `gone`: it answered 410. `failing`: the last attempt at a message failed, and nothing was accepted for four days. Null if it is on.
   */
  reason: "asked" | "gone" | "failing" | null;
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * The API key that made it; null if it was created in the dashboard.
   */
  createdBy: string | null;
  /**
   * When it last took a message; null: never.
   */
  lastSuccessAt: string | null;
  /**
   * Where its messages go.
   */
  url: string;
  /**
   * The secret that messages are signed with (Standard Webhooks).
   */
  secret: string;
}
/**
 * Asks for a new webhook.
 */
export interface NewWebhookRequest {
  /**
   * The URL that gets the messages: `https`, a public host, the scheme's own port. An operator may allow `http`. No redirect is followed.
   */
  url: string;
  /**
   * The events that it gets.
   *
   * @minItems 1
   */
  events: [
    "job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended",
    ...("job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended")[]
  ];
  /**
   * A `job.completed` brings the result itself if that is small: messages have at most 20 kB. Needs a key that may `read`.
   */
  results?: boolean;
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
 * What can be had of a platform, and how that has gone lately.
 */
export interface Platform {
  /**
   * Platform identifier; `direct` for media files at other addresses.
   */
  platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
  /**
   * As people write it.
   */
  name: string;
  /**
   * `GET /v1/metadata`.
   */
  metadata: boolean;
  /**
   * Transcripts with mode `generate`.
   */
  speech: boolean;
  /**
   * `POST /v1/extract`; false if this service has no language model.
   */
  extraction: boolean;
  /**
   * Transcripts with mode `native`: the platform shows captions to guests, if a video has any.
   */
  captions: boolean;
  /**
   * `GET /v1/search`; false if this service is not set up for it.
   */
  search: boolean;
  /**
   * `GET /v1/{platform}/profile`.
   */
  profile: boolean;
  /**
   * `GET /v1/youtube/channel` and `GET /v1/youtube/playlist`.
   */
  lists: boolean;
  /**
   * How the jobs of all customers with its videos, and lookups, have ended in the last hour. That a video is private or gone is an answer, and counts as success.
   */
  lastHour: {
    /**
     * `degraded`: one in ten has failed because of the platform, or on the way to it; `failing`: half of them; `unknown`: nothing was read.
     */
    state: "ok" | "degraded" | "failing" | "unknown";
    /**
     * The share that did not fail so, in hundredths; null if nothing was read.
     */
    succeeded: number | null;
  };
}
/**
 * How the service stands, for operators.
 */
export interface Readiness {
  status: "ready";
  /**
   * What is ill outside, such as an endpoint that fails. The service works on; mostly there is nothing.
   */
  warnings: {
    /**
     * What monitoring tells it by: `speech_endpoint_failing`, `speech_endpoint_slow`, `model_endpoint_failing`, `model_endpoint_slow`, `platform_refuses`, `accounts_rest`, `captions_withheld`. There may be more.
     */
    code: string;
    /**
     * Plain-language description.
     */
    message: string;
  }[];
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
     * How it is read there; YouTube is also read without yt-dlp.
     */
    way: "yt-dlp" | "innertube";
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
 * Asks for everything since a time to be sent again.
 */
export interface ReplayRequest {
  /**
   * ISO 8601 timestamp with a time zone, in the past: messages about what has happened from then on are sent again.
   */
  from: string;
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
   * When it was published, ISO 8601; null if the platform shows no date.
   */
  createdAt: string | null;
  /**
   * The creator's description, at most the first 10,000 characters; null if it is not known.
   */
  description: string | null;
  /**
   * The platform's id of the account that published it: it stays when the account takes another name.
   */
  authorId: string | null;
  /**
   * Page of the account that published it.
   */
  authorUrl: string | null;
  /**
   * YouTube: the tags of the video. Elsewhere: the hashtags of its caption without their `#`. Null if none are known.
   */
  tags: string[] | null;
  /**
   * Whether it is being broadcast now; null if the platform does not say.
   */
  isLive: boolean | null;
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
   * The page that explains this error; null if the service does not know its public address.
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
 * What has happened to a job so far.
 */
export interface Timeline {
  /**
   * Oldest first.
   */
  events: TimelineEvent[];
  /**
   * Whether the job has ended: `completed`, `failed` or `cancelled` is among its events, here or before.
   */
  ended: boolean;
}
/**
 * What has happened to a job, at one instant. Which fields there are beyond the first three follows from `type`; new types and new fields may be added.
 */
export interface TimelineEvent {
  /**
   * Grows with each event of the job, with gaps. Given as `after` or `Last-Event-ID`, it brings the events after this one.
   */
  id: number;
  /**
   * `accepted`: the job was accepted (`kind`, `url`, `mode`, `credits` held, `deadlineAt`); `step_started`: a worker has begun (`step`, `attempt`); `step_retry`: an attempt ended without a result, and another follows (`step`, `attempt`, `reason`, `until`); `step_completed`: a step is over (`step`, `attempt`); `video_found`: what the URL leads to (`platform`, `title`, `durationSeconds`); `captions_found`: the text, from captions (`language`, `source`, `segments`); `captions_unavailable`: there is no text from captions (`reason`); `speech_transcribed`: the text, from the sound (`language`, `segments`); `completed`: the result is there; `failed`: there is no result (`code`, `message`); `cancelled`: the job was cancelled; `credits_settled`: what the job cost (`charged`, `refunded`); its time is that of the end, which it follows.
   */
  type:
    | "accepted"
    | "step_started"
    | "step_retry"
    | "step_completed"
    | "video_found"
    | "captions_found"
    | "captions_unavailable"
    | "speech_transcribed"
    | "completed"
    | "failed"
    | "cancelled"
    | "credits_settled";
  /**
   * When it happened.
   */
  at: string;
  /**
   * What was asked for.
   */
  kind?: "transcript" | "extraction";
  /**
   * The video, in the canonical spelling of its URL.
   */
  url?: string;
  /**
   * As it was asked for; null for an extraction.
   */
  mode?: "native" | "generate" | "auto" | null;
  /**
   * Credits that were taken for the job.
   */
  credits?: number;
  /**
   * The job times out then.
   */
  deadlineAt?: string;
  /**
   * A part of the job that one worker does.
   */
  step?: "fetch" | "caption" | "speech-to-text" | "extract";
  /**
   * Counted for each step.
   */
  attempt?: number;
  /**
   * A failure code; for `step_retry` also `released`: the worker was stopped, and another takes its place; and `pace`: the limit of reads per minute for the platform is reached, and the video waits for its turn.
   */
  reason?: string;
  /**
   * The next attempt begins then at the earliest.
   */
  until?: string;
  /**
   * URL of the video.
   */
  platform?: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
  /**
   * Of the video; null if it has none.
   */
  title?: string | null;
  /**
   * Of the video; null if it is not known.
   */
  durationSeconds?: number | null;
  /**
   * A BCP 47 tag; null if it is not known.
   */
  language?: string | null;
  /**
   * Who wrote the captions.
   */
  source?: "captions" | "automatic_captions" | "translated_captions";
  /**
   * How many timed pieces the text has.
   */
  segments?: number;
  code?: FailureCode;
  /**
   * The same in plain language.
   */
  message?: string;
  /**
   * Credits that the job cost.
   */
  charged?: number;
  /**
   * Credits that were refunded.
   */
  refunded?: number;
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
    /**
     * Who speaks, as the speech engine names them; only if `speakers` was asked for, and missing if the engine does not know.
     */
    speaker?: string;
  }[];
  /**
   * BCP 47 tag of the text; null when it is not known.
   */
  language: string | null;
  /**
   * How probable it is that `language` is spoken; of speech only. Missing if it is not known, and if another language was heard than `lang`, which is then in `language`: the details of the job warn of it if that is nearly sure.
   */
  languageProbability?: number;
  /**
   * How sure the speech engine is of the text as a whole: the mean of its words. Missing if it is not known.
   */
  confidence?: number;
  /**
   * The source of the text. `translated_captions`: the platform translated captions in another language.
   */
  source: "captions" | "automatic_captions" | "translated_captions" | "speech";
  /**
   * The words with their times; only if `words` was asked for. Null if neither captions nor engine have them.
   */
  words?:
    | {
        /**
         * Seconds.
         */
        start: number;
        /**
         * Seconds.
         */
        end: number;
        text: string;
        /**
         * How sure the speech engine is of the word; missing if it does not say.
         */
        confidence?: number;
      }[]
    | null;
  /**
   * BCP 47 tags of the languages in which the video has captions, without those translated by the platform. Null if unknown.
   */
  availableLanguages: string[] | null;
  /**
   * The text in chunks of whole sentences; only if `chunkSize` asks for them.
   */
  chunks?: {
    /**
     * Seconds.
     */
    start: number;
    /**
     * Seconds.
     */
    end: number;
    /**
     * A piece of `text`. Between two pieces there is nothing but white space.
     */
    text: string;
  }[];
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
   * `native`: platform captions, 1 credit. `generate`: AI speech-to-text, 5 credits. `auto`: native first, AI if native is unavailable; holds 5 credits and refunds 4 if captions were found.
   */
  mode?: "native" | "generate" | "auto";
  /**
   * Language hint: a BCP 47 tag, or the English or native name of a language. If the video lacks it, the original is given and `GET /v1/jobs/{jobId}` warns.
   */
  lang?: string;
  /**
   * `lang` is a condition: an unknown language is a 400, and captions in any other language do not count. The job then fails with `captions_unavailable` (`native`), or goes on to speech-to-text. Without `lang` it changes nothing.
   */
  strictLang?: boolean;
  /**
   * If there are no captions in `lang`, those translated into it by the platform may be given, as `translated_captions`. Without `lang` it changes nothing.
   */
  translate?: boolean;
  /**
   * The result has `words`, each with its times, if the captions or the speech engine have them. Otherwise it is null and `GET /v1/jobs/{jobId}` warns.
   */
  words?: boolean;
  /**
   * Each segment names its `speaker` (`A`, `B`, …). Only with mode `generate`, because captions name no speakers; a 400 if the speech engine of this service cannot tell speakers apart.
   */
  speakers?: boolean;
  /**
   * Names and terms to expect, separated by commas, the most important first: a transcription spells them this way. Captions are not changed. A speech engine may use only the first of them, or none: `GET /v1/jobs/{jobId}` then warns.
   */
  vocabulary?: string;
  /**
   * If the platform refuses to answer, the job fails with `platform_blocked` at once, refunded; otherwise it is retried until its window ends.
   */
  failFast?: boolean;
  /**
   * Where to tell that the job has ended, by a `job.completed` or a `job.failed`: a shorthand for a webhook. Needs the scope `webhooks` too, and the secret of `POST /v1/webhooks/secret`, which signs the messages. Its host counts among the webhooks of the plan for a day.
   */
  webhookUrl?: string;
  /**
   * If the organization has a completed job with the same request that is at most 24 hours old and not deleted, the new job ends at once with its result, for 0 credits. Otherwise it is an ordinary job.
   */
  reuse?: boolean;
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
   * A day, an operation, the id of a key or a platform; `unknown` if it is not known.
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
 * What is known of one video. A number that the source does not give is null, never 0. `X-Metadata-Incomplete` names what could not be read.
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
  /**
   * The creator's description, at most the first 10,000 characters; null if it is not known.
   */
  description: string | null;
  /**
   * When it was published, ISO 8601; midnight UTC if the platform shows only the day.
   */
  publishedAt: string | null;
  /**
   * The platform's id of the account that published it: it stays when the account takes another name.
   */
  authorId: string | null;
  /**
   * Page of the account that published it.
   */
  authorUrl: string | null;
  /**
   * As reported by the platform.
   */
  commentCount: number | null;
  /**
   * As reported by the platform.
   */
  shareCount: number | null;
  /**
   * YouTube: the tags of the video. Elsewhere: the hashtags of its caption without their `#`. Null if none are known.
   */
  tags: string[] | null;
  /**
   * Whether it is being broadcast now; null if the platform does not say.
   */
  isLive: boolean | null;
  /**
   * Only with `include=captions`: the caption tracks of the video, without those translated by the platform. Null if there may be some that the platform keeps from this service, or if they could not be read.
   */
  captions?: CaptionTrack[] | null;
  /**
   * Only with `include=chapters`. Null if the source has none, or if they could not be read.
   */
  chapters?: Chapter[] | null;
}
/**
 * A source that is watched for new videos.
 */
export interface Watch {
  /**
   * Identifier of the watch.
   */
  watchId: string;
  source: WatchSource;
  /**
   * How often it looks.
   */
  every: "15m" | "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "1d";
  /**
   * What is asked for each new video; null: nothing.
   */
  then: WatchThen | null;
  /**
   * Credits that its jobs may take in a calendar month (UTC); null if it asks for none.
   */
  maxCreditsPerMonth: number | null;
  /**
   * Whether it looks.
   */
  status: "on" | "paused";
  /**
   * Why it is paused. `asked`: the organization paused it. `credits`: the organization has too few. `cap`: its own credits of the month, or those of its key, are used up. `source`: there is no such source, or it could not be read for a week. `key`: the key that made it has ended. `unseen`: no member was active for 90 days. Null if it is on.
   */
  reason: "asked" | "credits" | "cap" | "source" | "key" | "unseen" | null;
  /**
   * Why its newest looks brought nothing; null: the source could be read. It looks again after 15 minutes at most.
   */
  failure: {
    /**
     * `empty`: the source had no videos. `too_long`: a playlist of more than 1,000. Else the code of the error.
     */
    code: string;
    /**
     * ISO 8601 timestamp.
     */
    since: string;
  } | null;
  /**
   * How many new videos it has found: the number of the newest.
   */
  found: number;
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * The API key that made it; null if it was created in the dashboard.
   */
  createdBy: string | null;
  /**
   * When it last looked; of looks that bring nothing one in an hour is noted. Null: it has not yet.
   */
  lastLookAt: string | null;
  /**
   * When it looks next; null while it is paused.
   */
  nextLookAt: string | null;
}
/**
 * What is asked for each new video.
 */
export interface WatchThen {
  /**
   * `transcript`: as `POST /v1/transcript`. `extraction`: as `POST /v1/extract`.
   */
  operation: "transcript" | "extraction";
  /**
   * The body of that request, without `url`, `webhookUrl` and `reuse`.
   */
  options?: {
    [k: string]: unknown;
  };
}
/**
 * What is to change of a watch. What is left out stays.
 */
export interface WatchChanges {
  /**
   * How often it looks. A plan allows `1d` (Free), `1h` (Starter) or `15m` (Pro) at most.
   */
  every?: "15m" | "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "1d";
  /**
   * Credits that its jobs may take in a calendar month (UTC).
   */
  maxCreditsPerMonth?: number;
  /**
   * `paused`: it does not look. `on`: it looks again, at once.
   */
  status?: "on" | "paused";
}
/**
 * A watch, with the credits of its month.
 */
export interface WatchDetails {
  /**
   * Identifier of the watch.
   */
  watchId: string;
  source: WatchSource;
  /**
   * How often it looks.
   */
  every: "15m" | "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "1d";
  /**
   * What is asked for each new video; null: nothing.
   */
  then: WatchThen | null;
  /**
   * Credits that its jobs may take in a calendar month (UTC); null if it asks for none.
   */
  maxCreditsPerMonth: number | null;
  /**
   * Whether it looks.
   */
  status: "on" | "paused";
  /**
   * Why it is paused. `asked`: the organization paused it. `credits`: the organization has too few. `cap`: its own credits of the month, or those of its key, are used up. `source`: there is no such source, or it could not be read for a week. `key`: the key that made it has ended. `unseen`: no member was active for 90 days. Null if it is on.
   */
  reason: "asked" | "credits" | "cap" | "source" | "key" | "unseen" | null;
  /**
   * Why its newest looks brought nothing; null: the source could be read. It looks again after 15 minutes at most.
   */
  failure: {
    /**
     * `empty`: the source had no videos. `too_long`: a playlist of more than 1,000. Else the code of the error.
     */
    code: string;
    /**
     * ISO 8601 timestamp.
     */
    since: string;
  } | null;
  /**
   * How many new videos it has found: the number of the newest.
   */
  found: number;
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * The API key that made it; null if it was created in the dashboard.
   */
  createdBy: string | null;
  /**
   * When it last looked; of looks that bring nothing one in an hour is noted. Null: it has not yet.
   */
  lastLookAt: string | null;
  /**
   * When it looks next; null while it is paused.
   */
  nextLookAt: string | null;
  /**
   * Credits that were debited for its jobs this month (UTC), some of which may have come back.
   */
  creditsThisMonth: number;
}
/**
 * A server of an organization that is notified of events.
 */
export interface Webhook {
  /**
   * Identifier of the webhook.
   */
  id: string;
  /**
   * `endpoint`: is notified of its events. `url`: stands for the `webhookUrl` of jobs, and is notified when they end.
   */
  kind: "endpoint" | "url";
  /**
   * The host of its URL.
   */
  host: string;
  /**
   * The events that it gets; empty for a `url`.
   */
  events: WebhookEventType[];
  /**
   * Whether a small result comes with the message.
   */
  results: boolean;
  /**
   * Whether messages are sent.
   */
  status: "on" | "off";
  /**
   * Why it is off. `asked`: the organization switched it off. `gone`: it answered 410. `failing`: the last attempt at a message failed, and nothing was accepted for four days. Null if it is on.
   */
  reason: "asked" | "gone" | "failing" | null;
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * The API key that made it; null if it was created in the dashboard.
   */
  createdBy: string | null;
  /**
   * When it last took a message; null: never.
   */
  lastSuccessAt: string | null;
}
/**
 * One try to deliver a message.
 */
export interface WebhookAttempt {
  /**
   * When it was over. ISO 8601 timestamp.
   */
  at: string;
  /**
   * Status of the answer; null if there was none.
   */
  status: number | null;
  /**
   * Why there was no answer; null if there was one.
   */
  failure: string | null;
  /**
   * How long it took.
   */
  milliseconds: number;
  /**
   * The first 200 bytes of the answer, as text.
   */
  answer: string;
}
/**
 * Tells of the end of a batch.
 */
export interface WebhookBatchMessage {
  /**
   * What has happened.
   */
  type: "batch.ended";
  /**
   * When it happened.
   */
  timestamp: string;
  /**
   * The batch.
   */
  data: {
    /**
     * Identifier of the batch.
     */
    batchId: string;
    /**
     * What is asked for each item.
     */
    operation: "transcript" | "extraction";
    /**
     * How it ended. `completed`: every item has ended by itself. `cancelled`: it was cancelled. `key_revoked`: the key that made it was revoked. `source_failed`: its source could not be read. `not_accepted`: it was not accepted in time, and nothing was charged.
     */
    reason: "completed" | "cancelled" | "key_revoked" | "source_failed" | "not_accepted";
    /**
     * Items that have completed.
     */
    completed: number;
    /**
     * Items that have failed.
     */
    failed: number;
    /**
     * Items that never began.
     */
    cancelled: number;
    /**
     * What it has cost.
     */
    creditsCharged: number;
    /**
     * What has come back of what was held.
     */
    creditsReturned: number;
    /**
     * Where to read more. Paths if the service does not know its own address.
     */
    links: {
      /**
       * The batch.
       */
      batch: string;
      /**
       * Its results.
       */
      results: string;
    };
  };
}
/**
 * What is to change of a webhook. What is left out stays.
 */
export interface WebhookChanges {
  /**
   * The URL that gets the messages: `https`, a public host, the scheme's own port. An operator may allow `http`. No redirect is followed.
   */
  url?: string;
  /**
   * The events that it gets.
   *
   * @minItems 1
   */
  events?: [
    "job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended",
    ...("job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended")[]
  ];
  /**
   * A `job.completed` brings the result itself if that is small: messages have at most 20 kB. Needs a key that may `read`.
   */
  results?: boolean;
  /**
   * `off`: nothing is sent. `on`: it is notified of new events; a replay sends what it has missed.
   */
  status?: "on" | "off";
}
/**
 * The body of `credits.low`: fewer credits are left than a tenth of what the plan gives in a month, or than ten.
 */
export interface WebhookCreditsMessage {
  type: "credits.low";
  /**
   * When it happened.
   */
  timestamp: string;
  data: {
    creditsLeft: number;
  };
}
/**
 * A message of a webhook, and how its delivery goes.
 */
export interface WebhookDelivery {
  /**
   * Identifier of the delivery: the header `webhook-id` of each attempt.
   */
  id: string;
  /**
   * What it reports: an event, or `ping`.
   */
  type: "job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended" | "ping";
  /**
   * The job that it is about; null if it is about none.
   */
  jobId: string | null;
  /**
   * `open`: it waits for its first or next attempt. `dropped`: the webhook was off or gone, or what it was about was deleted. All but `open` are final, until it is sent again.
   */
  status: "open" | "delivered" | "failed" | "dropped";
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * When the next attempt is due; null if there is none.
   */
  nextAttemptAt: string | null;
  /**
   * The newest ones, oldest first.
   */
  attempts: WebhookAttempt[];
}
/**
 * One page of the deliveries of a webhook.
 */
export interface WebhookDeliveryList {
  /**
   * Newest first.
   */
  deliveries: WebhookDelivery[];
  /**
   * Given as `cursor` it brings the next page; null on the last one.
   */
  nextCursor: string | null;
}
/**
 * A webhook with its whole URL.
 */
export interface WebhookDetails {
  /**
   * Identifier of the webhook.
   */
  id: string;
  /**
   * `endpoint`: is notified of its events. `url`: stands for the `webhookUrl` of jobs, and is notified when they end.
   */
  kind: "endpoint" | "url";
  /**
   * The host of its URL.
   */
  host: string;
  /**
   * The events that it gets; empty for a `url`.
   */
  events: WebhookEventType[];
  /**
   * Whether a small result comes with the message.
   */
  results: boolean;
  /**
   * Whether messages are sent.
   */
  status: "on" | "off";
  /**
   * Why it is off. `asked`: the organization switched it off. `gone`: it answered 410. `failing`: the last attempt at a message failed, and nothing was accepted for four days. Null if it is on.
   */
  reason: "asked" | "gone" | "failing" | null;
  /**
   * ISO 8601 timestamp.
   */
  createdAt: string;
  /**
   * The API key that made it; null if it was created in the dashboard.
   */
  createdBy: string | null;
  /**
   * When it last took a message; null: never.
   */
  lastSuccessAt: string | null;
  /**
   * Where its messages go; null if it cannot be read any more: set it again.
   */
  url: string | null;
}
/**
 * The body of `job.completed` and `job.failed`: a job has ended.
 */
export interface WebhookJobMessage {
  type: "job.completed" | "job.failed";
  /**
   * When it happened.
   */
  timestamp: string;
  data: {
    jobId: string;
    kind: "transcript" | "extraction";
    status: "completed" | "failed";
    /**
     * The URL that the job was requested with.
     */
    url: string | null;
    /**
     * Why it failed; null: it completed.
     */
    error: JobFailure | null;
    /**
     * Credits.
     */
    creditsCharged: number | null;
    /**
     * If the result and the details are asked for, with a key; paths if the service does not know its address.
     */
    links: {
      result: string;
      job: string;
    };
    /**
     * The result itself, as `resultJson` has it: if the webhook asks for results, and it is small.
     */
    result?: {};
  };
}
/**
 * The body of `ping`, which tests a webhook.
 */
export interface WebhookPingMessage {
  type: "ping";
  /**
   * When it happened.
   */
  timestamp: string;
  data: {
    webhookId: string;
  };
}
/**
 * A secret that was just made. It is never shown again.
 */
export interface WebhookSecret {
  /**
   * The secret that messages are signed with (Standard Webhooks).
   */
  secret: string;
}
/**
 * Reports videos that a watch has found.
 */
export interface WebhookWatchMessage {
  /**
   * What has happened.
   */
  type: "watch.found";
  /**
   * When it happened.
   */
  timestamp: string;
  /**
   * What was found.
   */
  data: {
    /**
     * Identifier of the watch.
     */
    watchId: string;
    /**
     * How many videos this look has found.
     */
    count: number;
    /**
     * The first 20 of them, in order.
     *
     * @maxItems 20
     */
    found:
      | []
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ]
      | [
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          },
          {
            /**
             * Its number among all that the watch has found.
             */
            number: number;
            /**
             * Its id on its platform.
             */
            id: string;
            /**
             * Its URL.
             */
            url: string;
            /**
             * Its title; null: not known.
             */
            title: string | null;
            /**
             * When it was published; null: not known.
             */
            publishedAt: string | null;
          }
        ];
    /**
     * If all of them are read. A path if the service does not know its own address.
     */
    links: {
      /**
       * What it has found from there on.
       */
      found: string;
    };
  };
}
/**
 * A YouTube channel, and what it lists of one type.
 */
export interface YouTubeChannel {
  /**
   * Always `youtube`.
   */
  platform: "youtube";
  /**
   * Always `channel`.
   */
  type: "channel";
  /**
   * YouTube's id of the channel, which stays when its handle changes.
   */
  id: string;
  /**
   * Handle without `@`; null if the channel has none.
   */
  username: string | null;
  /**
   * Canonical URL of the channel.
   */
  url: string;
  /**
   * What the channel says of itself.
   */
  description: string | null;
  /**
   * Who it is.
   */
  author: {
    /**
     * Handle without `@`.
     */
    username: string | null;
    /**
     * Name of the channel.
     */
    displayName: string | null;
    /**
     * Avatar image URL.
     */
    avatarUrl: string | null;
    /**
     * Whether YouTube marks the channel as verified; null if it does not say.
     */
    verified: boolean | null;
  };
  /**
   * Counts, rounded as YouTube shows them.
   */
  stats: {
    /**
     * Subscribers.
     */
    followers: number | null;
    /**
     * Videos of all types.
     */
    videos: number | null;
  };
  /**
   * Videos of the requested type, in YouTube's order: newest first.
   */
  videos: ProfileVideo[];
  /**
   * Send it as `cursor` with the same parameters for what follows; null if nothing does. A list that changes meanwhile may repeat or leave out a video.
   */
  nextCursor: string | null;
}
/**
 * A YouTube playlist.
 */
export interface YouTubePlaylist {
  /**
   * Always `youtube`.
   */
  platform: "youtube";
  /**
   * Always `playlist`.
   */
  type: "playlist";
  /**
   * YouTube's id of the playlist.
   */
  id: string;
  /**
   * Canonical URL of the playlist.
   */
  url: string;
  /**
   * Title of the playlist.
   */
  title: string | null;
  /**
   * What its owner says of it.
   */
  description: string | null;
  /**
   * Name of the channel that made it.
   */
  author: string | null;
  /**
   * YouTube's id of that channel.
   */
  authorId: string | null;
  /**
   * Page of that channel.
   */
  authorUrl: string | null;
  /**
   * Counts.
   */
  stats: {
    /**
     * Videos of the playlist.
     */
    videos: number | null;
  };
  /**
   * Videos in the order of the playlist. One that is private or was deleted meanwhile stays, with the title that YouTube gives it.
   */
  videos: ProfileVideo[];
  /**
   * Send it as `cursor` with the same parameters for what follows; null if nothing does. A list that changes meanwhile may repeat or leave out a video.
   */
  nextCursor: string | null;
}
