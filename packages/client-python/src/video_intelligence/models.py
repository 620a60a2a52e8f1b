# Written by `npm run contracts:python`. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AcceptedDelivery(TypedDict):
    """
    A message that is on its way.
    """

    deliveryId: str
    """
    Identifier of the delivery.
    """


class AcceptedJob(TypedDict):
    """
    The job was accepted.
    """

    jobId: str
    """
    To be used in the poll path.
    """
    status: Literal['queued']


AcceptedReplay = TypedDict(
    'AcceptedReplay',
    {
        'from': str
    },
)


class BatchCredits(TypedDict):
    """
    What it may cost, and what it has cost.
    """

    held: int
    """
    Held for it when it was accepted.
    """
    charged: int
    """
    What its ended items have cost.
    """


class Batch(TypedDict):
    """
    A batch in a list.
    """

    batchId: str
    """
    Identifier of the batch.
    """
    operation: Literal['transcript', 'extraction']
    """
    What is asked for each item.
    """
    status: Literal['running', 'ended']
    """
    Whether it has ended.
    """
    reason: Literal['completed', 'cancelled', 'key_revoked', 'source_failed', 'not_accepted'] | None
    """
    How it ended. `completed`: every item has ended by itself. `cancelled`: it was cancelled. `key_revoked`: the key that made it was revoked. `source_failed`: its source could not be read. `not_accepted`: it was not accepted in time, and nothing was charged. Null: it has not.
    """
    items: int
    """
    How many items are known: those of a source are read in the course of it.
    """
    completed: int
    """
    Items that have completed.
    """
    failed: int
    """
    Items that have failed.
    """
    credits: BatchCredits
    """
    What it may cost, and what it has cost.
    """
    createdAt: str
    """
    When it was accepted.
    """
    endedAt: str | None
    """
    When it ended; null: it has not.
    """


class BatchDetailsCounts(TypedDict):
    """
    How many items are in each state.
    """

    queued: int
    """
    Items that are queued.
    """
    working: int
    """
    Items of state `working`.
    """
    completed: int
    """
    Items of state `completed`.
    """
    failed: int
    """
    Items of state `failed`.
    """
    cancelled: int
    """
    Items of state `cancelled`.
    """


class BatchDetailsCredits(TypedDict):
    """
    Its credits.
    """

    held: int
    """
    Held when it was accepted.
    """
    charged: int
    """
    What its ended items have cost.
    """
    returned: int
    """
    What has come back at its end; 0 before.
    """


class BatchItem(TypedDict):
    """
    One video of a batch.
    """

    item: int
    """
    Its number in the batch, from 0 on.
    """
    url: str
    """
    Its URL in canonical spelling.
    """
    lines: list[int]
    """
    Lines of the body that ask for it, from 1 on; in JSON the numbers of the requests. For a source: its place there.
    """
    state: Literal['queued', 'working', 'completed', 'failed', 'cancelled']
    """
    `queued`: it has not started, or begins again. `cancelled`: it never will.
    """
    jobId: str | None
    """
    Its newest job; null: it has none.
    """
    code: str | None
    """
    Why its last job failed, or why it ended without one; null: it did not.
    """
    charged: int
    """
    Credits that it has cost.
    """


class BatchItemList(TypedDict):
    """
    One page of the items of a batch.
    """

    items: list[BatchItem]
    """
    In their order.
    """
    nextCursor: str | None
    """
    Given as `cursor` it brings the next page; null on the last one.
    """


class BatchList(TypedDict):
    """
    One page of the organization's batches.
    """

    batches: list[Batch]
    """
    Newest first.
    """
    nextCursor: str | None
    """
    Given as `cursor` it brings the next page; null on the last one.
    """


class CaptionTrack(TypedDict):
    """
    Captions that a video has.
    """

    language: str | None
    """
    BCP 47 tag; null when it is not known.
    """
    source: Literal['captions', 'automatic_captions']
    """
    `captions`: made by a person. `automatic_captions`: heard by a machine.
    """


class Chapter(TypedDict):
    """
    A chapter of a video.
    """

    start: float
    """
    Seconds.
    """
    end: float | None
    """
    Seconds; null when it is not known.
    """
    title: str


class CreditsRenewal(TypedDict):
    """
    The next renewal of the credits.
    """

    at: str
    """
    The start of the month that renews them.
    """
    credits: int
    """
    Credits that are then available.
    """


class CreditsTransaction(TypedDict):
    """
    A line of the ledger.
    """

    type: Literal['grant', 'plan_change', 'renewal', 'debit', 'settlement', 'hold', 'release', 'opening']
    """
    `debit`: credits were taken for a job; 0 if they are taken out of the hold of its batch. `settlement`: that job has ended; what it did not cost came back. `hold`: credits were set aside for a batch. `release`: that has ended; what was left came back. `opening`: the balance with which the ledger begins, if older lines are no longer kept; it is then the last line.
    """
    createdAt: str
    """
    When it was written.
    """
    amount: int
    """
    By how many credits it changed the balance; negative if it took some; of an opening the whole balance.
    """
    balance: int
    """
    Credits available after it.
    """
    reason: str | None
    """
    Of a grant `sign_up` or `adjustment`; of a plan change the plan; of a renewal the month, YYYY-MM; of a settlement `completed` or the code of the failure; null of all others.
    """
    jobId: str | None
    """
    The job that it is about; null if it is about none.
    """
    operation: Literal['transcript', 'extraction'] | None
    """
    What that job makes; null: not known.
    """
    keyId: str | None
    """
    The API key by which that job was asked for; null: not known.
    """
    batchId: str | None
    """
    The batch that it is about; null if it is about none.
    """


class CreditsTransactionList(TypedDict):
    """
    One page of the ledger.
    """

    transactions: list[CreditsTransaction]
    """
    Newest first.
    """
    nextCursor: str | None
    """
    Given as `cursor` it brings the next page; null on the last one.
    """


class DeletedContent(TypedDict):
    """
    A job whose content is deleted for good.
    """

    jobId: str
    """
    Identifier of the job, which is not found under it any more.
    """
    deletedAt: str
    """
    ISO 8601 timestamp.
    """


class DeletedWatch(TypedDict):
    """
    A watch that is gone for good.
    """

    watchId: str
    """
    Identifier of the watch.
    """
    deletedAt: str
    """
    ISO 8601 timestamp.
    """


class DeletedWebhook(TypedDict):
    """
    A webhook that is gone for good.
    """

    id: str
    """
    Identifier of the webhook.
    """
    deletedAt: str
    """
    ISO 8601 timestamp.
    """


ErrorCode: TypeAlias = Literal['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_conflict', 'job_not_ended', 'payload_too_large', 'unsupported_media_type', 'rate_limited', 'headers_too_large', 'internal_error', 'upstream_error', 'unavailable', 'timeout']
"""
Why a request was not answered as asked, for programs. `/docs/errors` explains each.
"""


class EstimateCreditsCharged(TypedDict):
    """
    Credits that it has cost once it is completed. A failed job is refunded in full.
    """

    least: int
    likely: int
    most: int


class EstimateCredits(TypedDict):
    held: int
    """
    Credits that its POST takes. If it would be refused: those it would have to take. 0 if the job reuses a result.
    """
    charged: EstimateCreditsCharged
    """
    Credits that it has cost once it is completed. A failed job is refunded in full.
    """


class ExtractRequest(TypedDict):
    """
    Asks for information out of a video.
    """

    url: str
    """
    Full public video URL, or a direct media file URL.
    """
    prompt: str
    """
    What to extract or to analyze, in free form.
    """
    lang: NotRequired[str]
    """
    Language hint for the transcription: a BCP 47 tag, or the English or native name of a language.
    """
    strictLang: NotRequired[bool]
    """
    `lang` is a condition: an unknown language is a 400, and captions in any other language do not count: the sound is then transcribed. Without `lang` it changes nothing.
    """
    translate: NotRequired[bool]
    """
    If there are no captions in `lang`, those translated into it by the platform may be used. Without `lang` it changes nothing.
    """
    schema: NotRequired[dict[str, Any]]
    """
    JSON Schema (2020-12) that `resultJson` fits, as Pydantic, Zod, TypeBox, Valibot, Gemini's and OpenAI's helpers write it: also as a whole `response_format`, with tuples of draft 7, and with `nullable: true`. At most 32 KB, 500 schemas, 32 levels and 50 patterns; it must allow an object. `$ref` must point inside the schema, and may be recursive only through a property or an item. Patterns have no look-around, but for those that these libraries write, and no back-references; anchors and dynamic references are not supported. `multipleOf` is decimal: 19.99 is a multiple of 0.01. A result has at most 64 levels and 100,000 values.
    """
    vocabulary: NotRequired[str]
    """
    Names and terms to expect, separated by commas, the most important first: a transcription spells them this way. Captions are not changed. A speech engine may use only the first of them, or none: `GET /v1/jobs/{jobId}` then warns.
    """
    failFast: NotRequired[bool]
    """
    If the platform refuses to answer, the job fails with `platform_blocked` at once, refunded; otherwise it is retried until its window ends.
    """
    webhookUrl: NotRequired[str]
    """
    Where to tell that the job has ended, by a `job.completed` or a `job.failed`: a shorthand for a webhook. Needs the scope `webhooks` too, and the secret of `POST /v1/webhooks/secret`, which signs the messages. Its host counts among the webhooks of the plan for a day.
    """
    reuse: NotRequired[bool]
    """
    If the organization has a completed job with the same request that is at most 24 hours old and not deleted, the new job ends at once with its result, for 0 credits. Otherwise it is an ordinary job.
    """


FailureCode: TypeAlias = Literal['video_unavailable', 'video_private', 'profile_not_found', 'age_restricted', 'geo_blocked', 'login_required', 'platform_blocked', 'captions_unavailable', 'no_speech', 'media_unsupported', 'media_too_large', 'media_too_long', 'live_not_ended', 'insufficient_credits', 'extraction_invalid', 'result_too_large', 'timeout', 'upstream_error', 'internal_error', 'cancelled', 'not_accepted']
"""
Why a job failed, or why a video or a profile could not be looked up, for programs. `/docs/errors` explains each.
"""


class FoundVideo(TypedDict):
    """
    A new video that a watch has found.
    """

    number: int
    """
    Of the watch, from 1 on.
    """
    id: str
    """
    Identifies it: the platform and its id there.
    """
    url: str
    """
    Canonical URL.
    """
    title: str | None
    """
    Title; null if the source has none.
    """
    publishedAt: str | None
    """
    When it was published; null in a playlist, and if that is not known.
    """
    foundAt: str
    """
    When it was found.
    """
    jobId: str | None
    """
    Its job; null: there is none, or none yet.
    """
    code: str | None
    """
    Why its job was refused; null: it was not.
    """


class FoundVideoList(TypedDict):
    """
    New videos, each once, in the order in which they were found.
    """

    found: list[FoundVideo]
    """
    The videos.
    """
    next: int
    """
    Send it as `after` for what comes next, now or later.
    """
    hasMore: bool
    """
    Whether there are more already.
    """


class Health(TypedDict):
    """
    The server is healthy.
    """

    status: Literal['ok']


class InstagramProfileAuthor(TypedDict):
    """
    Who it is.
    """

    username: str
    """
    Handle without `@`.
    """
    displayName: str | None
    """
    Display name.
    """
    avatarUrl: str | None
    """
    Avatar image URL.
    """
    verified: bool
    """
    Whether the platform marks the account as verified.
    """


class InstagramProfileStats(TypedDict):
    """
    Counts.
    """

    followers: float | None
    """
    Followers.
    """
    following: float | None
    """
    Accounts followed.
    """
    posts: float | None
    """
    Total post count.
    """


class JobCredits(TypedDict):
    """
    The credits of a job.
    """

    held: int
    """
    Taken from the balance and not settled yet; 0 once they are.
    """
    charged: int | None
    """
    What the job cost in the end, 0 if it failed; null until it is settled.
    """


class JobFailure(TypedDict):
    """
    Why a job failed.
    """

    code: FailureCode
    message: str
    """
    Plain-language description.
    """


class JobWait(TypedDict):
    """
    What a job waits for before its next attempt.
    """

    reason: str
    """
    `worker`: a worker that is free. `pace`: its turn, because the limit of reads per minute for the platform is reached. Any other is the failure code of the last attempt, such as `platform_blocked`.
    """
    platform: str | None
    """
    The platform that refuses to answer or is read by turns, if the reason is `platform_blocked` or `pace`; otherwise null.
    """
    until: str | None
    """
    The next attempt begins then at the earliest; null if that is not known.
    """


class JobWarningJobWarning(TypedDict):
    """
    `lang` names no known language; it was not heeded.
    """

    code: Literal['language_unknown']
    didYouMean: str | None
    """
    BCP 47 tag of the language that was probably meant; null if none is near.
    """


class JobWarningJobWarning1(TypedDict):
    """
    The text is in another language than `lang`.
    """

    code: Literal['language_unavailable']
    available: list[str]
    """
    BCP 47 tags of the languages that there are.
    """


class JobWarningJobWarning2(TypedDict):
    """
    Another language is spoken than `lang`, with a probability above 0.9; the text was written in `lang` all the same.
    """

    code: Literal['language_contradicted']
    heard: str
    """
    BCP 47 tag of the language that is spoken.
    """
    probability: float


class JobWarningJobWarning3(TypedDict):
    """
    Neither the captions nor the speech engine tell the times of words.
    """

    code: Literal['words_unavailable']


class JobWarningJobWarning4(TypedDict):
    """
    The speech engine has heeded only the beginning of `vocabulary`, or takes none.
    """

    code: Literal['vocabulary_unheeded']
    heeded: int
    """
    So many characters of it were heeded, whole terms from its beginning.
    """


class JobWarningJobWarning5(TypedDict):
    """
    The video may have captions, and they could not be read: the text was made of its sound, and charged as speech.
    """

    code: Literal['captions_unread']
    reason: str
    """
    Why, as a failure code: `platform_blocked` if the platform withholds them from this service.
    """


JobWarning: TypeAlias = JobWarningJobWarning | JobWarningJobWarning1 | JobWarningJobWarning2 | JobWarningJobWarning3 | JobWarningJobWarning4 | JobWarningJobWarning5
"""
How the result of a job differs from what was asked for.
"""


class Key(TypedDict):
    """
    An API key.
    """

    id: str
    """
    Identifier used in the revoke path.
    """
    name: str
    """
    Label given at creation.
    """
    prefix: str
    """
    First seven characters of the secret.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    lastUsedAt: str | None
    """
    ISO 8601 timestamp, to the minute, best effort.
    """
    scopes: NotRequired[list[Literal['read', 'jobs', 'keys', 'webhooks']]]
    """
    What the key may be used for. Missing if it may be used for everything.
    """
    monthlyCredits: NotRequired[int]
    """
    The most credits that jobs of this key may take in a calendar month (UTC). Missing if there is no such cap.
    """
    expiresAt: NotRequired[str]
    """
    ISO 8601 timestamp: from this instant on the key is answered 401. It stays in the list until it is revoked. Missing if the key does not expire.
    """


class ListedJob(TypedDict):
    """
    A job as the list shows it; its result is at its own address.
    """

    jobId: str
    """
    To be used in the poll path of its kind.
    """
    kind: Literal['transcript', 'extraction']
    """
    What was asked for.
    """
    status: Literal['queued', 'completed', 'failed']
    """
    `completed` and `failed` are final.
    """
    url: str
    """
    The video, in the canonical spelling of its URL.
    """
    mode: Literal['native', 'generate', 'auto'] | None
    """
    How the transcript was asked for; null for an extraction.
    """
    platform: Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook', 'direct']
    """
    Platform of the video; `direct`: a media file.
    """
    domain: str
    """
    Registrable domain of the video's URL, by the public suffix list; an IP address as it is.
    """
    keyId: str | None
    """
    The API key by which it was asked for; null: not known.
    """
    surface: Literal['api', 'mcp', 'dashboard', 'batch', 'watch']
    """
    By which surface it was asked for: `/v1`, the tool server, or the dashboard.
    """
    title: str | None
    """
    Title of the video; null while it is not known, and if it has none.
    """
    author: str | None
    """
    Name of the video's author; null while it is not known, and if it has none.
    """
    thumbnail: str | None
    """
    Thumbnail image URL, as the platform gave it when the job read the video: it may have expired. Null while it is not known, and if there is none.
    """
    durationSeconds: float | None
    """
    Length of the video in seconds; null while it is not known.
    """
    createdAt: str
    """
    When the job was accepted.
    """
    endedAt: str | None
    """
    When it was completed or failed; null while it is queued.
    """
    language: str | None
    """
    BCP 47 tag of the language of the video's text; null unless the job is completed, and if it is not known.
    """
    errorCode: str | None
    """
    The code of the error of a failed job; null unless it failed.
    """
    errorMessage: str | None
    """
    What went wrong, for people; null unless it failed.
    """
    creditsCharged: int | None
    """
    Credits that the job has cost; null while it is queued.
    """


class NewBatchRequestRequests(TypedDict):
    """
    The same as an object.
    """

    url: str
    """
    URL of a video.
    """


class NewBatchRequestSource(TypedDict):
    """
    The source of the videos, newest first, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
    """

    type: Literal['channel', 'playlist', 'profile', 'search']
    """
    What it is.
    """
    url: NotRequired[str]
    """
    Of a channel or playlist of YouTube, or of a profile.
    """
    handle: NotRequired[str]
    """
    Of a channel of YouTube, instead of `url`.
    """
    id: NotRequired[str]
    """
    Of a channel or playlist of YouTube, instead of `url`.
    """
    list: NotRequired[Literal['videos', 'shorts', 'lives']]
    """
    Of a channel: what of it. `videos` if omitted.
    """
    username: NotRequired[str]
    """
    Of a profile, instead of `url`.
    """
    platform: NotRequired[Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook'] | None]
    """
    Of a profile (required) or of a search; a search without one is on all of them.
    """
    q: NotRequired[str]
    """
    Of a search: what is looked for.
    """


class NewBatchRequest(TypedDict):
    """
    Asks for a batch: for the same of each of many videos.
    """

    operation: Literal['transcript', 'extraction']
    """
    `transcript`: as `POST /v1/transcript`. `extraction`: as `POST /v1/extract`.
    """
    options: NotRequired[dict[str, Any]]
    """
    The body of that request, without `url`, `webhookUrl` and `reuse`.
    """
    requests: NotRequired[list[str | NewBatchRequestRequests]]
    """
    The videos. Equal ones are read and charged once. Either these or `source`.
    """
    source: NotRequired[NewBatchRequestSource]
    """
    The source of the videos, newest first, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
    """
    limit: NotRequired[int]
    """
    With `source`, which requires it: the most videos that are read. For so many credits are held.
    """
    since: NotRequired[str]
    """
    With `source`: only videos published from then on. If the list has no dates, each video is looked up; one without a date is included.
    """
    maxCredits: NotRequired[int]
    """
    The most that the batch may cost. Items that it does not cover end with `insufficient_credits`, uncharged.
    """
    skipInvalid: NotRequired[bool]
    """
    Whether invalid requests are left out. Else one of them refuses the whole.
    """
    webhookUrl: NotRequired[str]
    """
    Notified when the batch ends (`batch.ended`), in addition to the webhooks that want every end. Needs a key that may `webhooks`.
    """
    itemWebhooks: NotRequired[bool]
    """
    Whether webhooks are told of the end of each of its jobs, too (`job.completed`, `job.failed`).
    """


class NewKey(TypedDict):
    """
    An API key that was just made, with its secret, which is never shown again.
    """

    id: str
    """
    Identifier used in the revoke path.
    """
    name: str
    """
    Label given at creation.
    """
    prefix: str
    """
    First seven characters of the secret.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    lastUsedAt: str | None
    """
    ISO 8601 timestamp, to the minute, best effort.
    """
    scopes: NotRequired[list[Literal['read', 'jobs', 'keys', 'webhooks']]]
    """
    What the key may be used for. Missing if it may be used for everything.
    """
    monthlyCredits: NotRequired[int]
    """
    The most credits that jobs of this key may take in a calendar month (UTC). Missing if there is no such cap.
    """
    expiresAt: NotRequired[str]
    """
    ISO 8601 timestamp: from this instant on the key is answered 401. It stays in the list until it is revoked. Missing if the key does not expire.
    """
    key: str
    """
    The secret.
    """


class NewKeyRequest(TypedDict):
    """
    Asks for a new key.
    """

    name: str
    """
    A label for the new key. Its characters are counted after trimming.
    """
    scopes: NotRequired[list[Literal['read', 'jobs', 'keys', 'webhooks']]]
    """
    What the key may be used for: `read` (every GET but those of keys, and estimates), `jobs` (requesting and cancelling jobs), `keys` (listing, making and revoking keys), `webhooks` (everything about webhooks, and `webhookUrl` of a job). Left out: everything.
    """
    monthlyCredits: NotRequired[int]
    """
    The most credits that jobs of this key may take in a calendar month (UTC); what is refunded does not count. Left out: as many as the organization has.
    """
    expiresAt: NotRequired[str]
    """
    ISO 8601 timestamp with a time zone, in the future: from this instant on the key is answered 401. Left out: it does not expire.
    """


class NewWatchRequestSource(TypedDict):
    """
    A source of videos, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
    """

    type: Literal['channel', 'playlist', 'profile', 'search']
    """
    What it is.
    """
    url: NotRequired[str]
    """
    Of a channel or playlist of YouTube, or of a profile.
    """
    handle: NotRequired[str]
    """
    Of a channel of YouTube, instead of `url`.
    """
    id: NotRequired[str]
    """
    Of a channel or playlist of YouTube, instead of `url`.
    """
    list: NotRequired[Literal['videos', 'shorts', 'lives']]
    """
    Of a channel: what of it. `videos` if omitted.
    """
    username: NotRequired[str]
    """
    Of a profile, instead of `url`.
    """
    platform: NotRequired[Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook'] | None]
    """
    Of a profile (required) or of a search; a search without one is on all of them.
    """
    q: NotRequired[str]
    """
    Of a search: what is looked for.
    """


class NewWatchRequestThen(TypedDict):
    """
    What is asked for each new video.
    """

    operation: Literal['transcript', 'extraction']
    """
    `transcript`: as `POST /v1/transcript`. `extraction`: as `POST /v1/extract`.
    """
    options: NotRequired[dict[str, Any]]
    """
    The body of that request, without `url`, `webhookUrl` and `reuse`.
    """


class NewWatchRequest(TypedDict):
    """
    Asks for a watch.
    """

    source: NewWatchRequestSource
    """
    A source of videos, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
    """
    every: Literal['15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d']
    """
    How often it looks. A plan allows `1d` (Free), `1h` (Starter) or `15m` (Pro) at most.
    """
    then: NotRequired[NewWatchRequestThen]
    """
    What is asked for each new video.
    """
    maxCreditsPerMonth: NotRequired[int]
    """
    Credits that its jobs may take in a calendar month (UTC). Required with `then`. A job that fails gives its credits back.
    """
    backfill: NotRequired[int]
    """
    How many videos of the first look count as new, the newest; of a playlist its first. 0 if omitted.
    """
    webhookUrl: NotRequired[str]
    """
    Is notified of what it finds (`watch.found`), in addition to the webhooks that are notified of every watch. Needs a key that may `webhooks`.
    """


class NewWebhookRequest(TypedDict):
    """
    Asks for a new webhook.
    """

    url: str
    """
    The URL that gets the messages: `https`, a public host, the scheme's own port. An operator may allow `http`. No redirect is followed.
    """
    events: list[Literal['job.completed', 'job.failed', 'credits.low', 'watch.found', 'batch.ended']]
    """
    The events that it gets.
    """
    results: NotRequired[bool]
    """
    A `job.completed` brings the result itself if that is small: messages have at most 20 kB. Needs a key that may `read`.
    """


class Organization(TypedDict):
    """
    The caller's organization.
    """

    orgId: str
    """
    Unique identifier of the organization.
    """
    name: str
    """
    Display name of the organization.
    """
    creditsRemaining: float
    """
    Credits left in the current billing period; credits of jobs in flight are already taken.
    """


class PlatformLastHour(TypedDict):
    """
    How the jobs of all customers with its videos, and lookups, have ended in the last hour. That a video is private or gone is an answer, and counts as success.
    """

    state: Literal['ok', 'degraded', 'failing', 'unknown']
    """
    `degraded`: one in ten has failed because of the platform, or on the way to it; `failing`: half of them; `unknown`: nothing was read.
    """
    succeeded: float | None
    """
    The share that did not fail so, in hundredths; null if nothing was read.
    """


class Platform(TypedDict):
    """
    What can be had of a platform, and how that has gone lately.
    """

    platform: Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook', 'direct']
    """
    Platform identifier; `direct` for media files at other addresses.
    """
    name: str
    """
    As people write it.
    """
    metadata: bool
    """
    `GET /v1/metadata`.
    """
    speech: bool
    """
    Transcripts with mode `generate`.
    """
    extraction: bool
    """
    `POST /v1/extract`; false if this service has no language model.
    """
    captions: bool
    """
    Transcripts with mode `native`: the platform shows captions to guests, if a video has any.
    """
    search: bool
    """
    `GET /v1/search`; false if this service is not set up for it.
    """
    profile: bool
    """
    `GET /v1/{platform}/profile`.
    """
    lists: bool
    """
    `GET /v1/youtube/channel` and `GET /v1/youtube/playlist`.
    """
    lastHour: PlatformLastHour
    """
    How the jobs of all customers with its videos, and lookups, have ended in the last hour. That a video is private or gone is an answer, and counts as success.
    """


class ProfileMedia(TypedDict):
    """
    What an item of a profile shows.
    """

    type: Literal['video', 'image']
    """
    `video` or `image`; of a carousel, that of its first part.
    """
    thumbnailUrl: str | None
    """
    Thumbnail image URL.
    """
    duration: float | None
    """
    Seconds; null for images and if the platform does not tell.
    """
    videoUrl: NotRequired[str]
    """
    Direct media file URL, usable as `url` in transcript and extract. Instagram videos.
    """


class ProfileVideoAdditionalData(TypedDict):
    """
    What only one platform has: `shortcode` of Instagram items, `channel` of YouTube items.
    """

    shortcode: NotRequired[str]
    """
    Instagram's code of the item, as in its URL.
    """
    channel: NotRequired[str]
    """
    Name of the YouTube channel that published the item, if the list tells it.
    """


class ReadinessWarning(TypedDict):
    code: str
    """
    What monitoring tells it by: `speech_endpoint_failing`, `speech_endpoint_slow`, `model_endpoint_failing`, `model_endpoint_slow`, `platform_refuses`, `accounts_rest`, `captions_withheld`. There may be more.
    """
    message: str
    """
    Plain-language description.
    """


class ReadinessBlockedItem(TypedDict):
    platform: Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook']
    exit: str
    """
    `direct`, or the proxy's `host:port`, with its session.
    """
    way: Literal['yt-dlp', 'innertube']
    """
    How it is read there; YouTube is also read without yt-dlp.
    """
    state: Literal['open', 'half-open']
    """
    `open`: not asked at all; `half-open`: being tried again.
    """
    since: str
    """
    ISO 8601, UTC.
    """


class ReadinessRestingAccount(TypedDict):
    platform: Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook']
    until: str
    """
    ISO 8601, UTC.
    """


class Readiness(TypedDict):
    """
    How the service stands, for operators.
    """

    status: Literal['ready']
    warnings: list[ReadinessWarning]
    """
    What is ill outside, such as an endpoint that fails. The service works on; mostly there is nothing.
    """
    blocked: list[ReadinessBlockedItem]
    """
    Exit addresses that a platform refuses to answer; it is left alone there for a while.
    """
    restingAccounts: list[ReadinessRestingAccount]
    """
    The operator's accounts that are not used for a while, having been asked twice to sign in.
    """


ReplayRequest = TypedDict(
    'ReplayRequest',
    {
        'from': str
    },
)


class RequestProblem(TypedDict):
    """
    One place of a request, and what is wrong there. `code`: if the URL leads to a video that cannot be used, the failure code that a job would have.
    """

    path: str
    """
    The field, parameter or header.
    """
    message: str
    """
    What is wrong with it.
    """
    code: NotRequired[FailureCode]
    line: NotRequired[int]
    """
    Of a request for a batch: the line of the body, or in JSON the number of the request.
    """


class RevokedKey(TypedDict):
    """
    A key that is revoked for good.
    """

    id: str
    """
    Identifier of the key.
    """
    name: str
    """
    Label given at creation.
    """
    revokedAt: str
    """
    ISO 8601 timestamp.
    """


class Stats(TypedDict):
    """
    Counts of one video. null if the platform does not give the number, never 0.
    """

    views: float | None
    """
    Views.
    """
    likes: float | None
    """
    Likes.
    """
    comments: float | None
    """
    Comments.
    """
    shares: float | None
    """
    Shares.
    """


class TikTokProfileAuthor(TypedDict):
    """
    Who it is.
    """

    username: str
    """
    Handle without `@`.
    """
    displayName: str | None
    """
    Display name.
    """
    avatarUrl: str | None
    """
    Avatar image URL.
    """
    verified: bool
    """
    Whether the platform marks the account as verified.
    """


class TikTokProfileStats(TypedDict):
    """
    Counts.
    """

    followers: float | None
    """
    Followers.
    """
    following: float | None
    """
    Accounts followed.
    """
    likes: float | None
    """
    Likes received by all videos.
    """
    videos: float | None
    """
    Total post count.
    """


class TimedOutJob(TypedDict):
    """
    A job that exceeded its processing window: the Error object, and what a loop over the job's status looks for.
    """

    error: Literal['timeout']
    message: str
    """
    Plain-language description.
    """
    details: None
    documentationUrl: str | None
    """
    The page that explains this error; null if the service does not know its public address.
    """
    jobId: str
    """
    Identifier of the job.
    """
    status: Literal['failed']
    resultJson: None


class TimelineEvent(TypedDict):
    """
    What has happened to a job, at one instant. Which fields there are beyond the first three follows from `type`; new types and new fields may be added.
    """

    id: int
    """
    Grows with each event of the job, with gaps. Given as `after` or `Last-Event-ID`, it brings the events after this one.
    """
    type: Literal['accepted', 'step_started', 'step_retry', 'step_completed', 'video_found', 'captions_found', 'captions_unavailable', 'speech_transcribed', 'completed', 'failed', 'cancelled', 'credits_settled']
    """
    `accepted`: the job was accepted (`kind`, `url`, `mode`, `credits` held, `deadlineAt`); `step_started`: a worker has begun (`step`, `attempt`); `step_retry`: an attempt ended without a result, and another follows (`step`, `attempt`, `reason`, `until`); `step_completed`: a step is over (`step`, `attempt`); `video_found`: what the URL leads to (`platform`, `title`, `durationSeconds`); `captions_found`: the text, from captions (`language`, `source`, `segments`); `captions_unavailable`: there is no text from captions (`reason`); `speech_transcribed`: the text, from the sound (`language`, `segments`); `completed`: the result is there; `failed`: there is no result (`code`, `message`); `cancelled`: the job was cancelled; `credits_settled`: what the job cost (`charged`, `refunded`); its time is that of the end, which it follows.
    """
    at: str
    """
    When it happened.
    """
    kind: NotRequired[Literal['transcript', 'extraction']]
    """
    What was asked for.
    """
    url: NotRequired[str]
    """
    The video, in the canonical spelling of its URL.
    """
    mode: NotRequired[Literal['native', 'generate', 'auto'] | None]
    """
    As it was asked for; null for an extraction.
    """
    credits: NotRequired[int]
    """
    Credits that were taken for the job.
    """
    deadlineAt: NotRequired[str]
    """
    The job times out then.
    """
    step: NotRequired[Literal['fetch', 'caption', 'speech-to-text', 'extract']]
    """
    A part of the job that one worker does.
    """
    attempt: NotRequired[int]
    """
    Counted for each step.
    """
    reason: NotRequired[str]
    """
    A failure code; for `step_retry` also `released`: the worker was stopped, and another takes its place; and `pace`: the limit of reads per minute for the platform is reached, and the video waits for its turn.
    """
    until: NotRequired[str]
    """
    The next attempt begins then at the earliest.
    """
    platform: NotRequired[Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook', 'direct']]
    """
    URL of the video.
    """
    title: NotRequired[str | None]
    """
    Of the video; null if it has none.
    """
    durationSeconds: NotRequired[float | None]
    """
    Of the video; null if it is not known.
    """
    language: NotRequired[str | None]
    """
    A BCP 47 tag; null if it is not known.
    """
    source: NotRequired[Literal['captions', 'automatic_captions', 'translated_captions']]
    """
    Who wrote the captions.
    """
    segments: NotRequired[int]
    """
    How many timed pieces the text has.
    """
    code: NotRequired[FailureCode]
    message: NotRequired[str]
    """
    The same in plain language.
    """
    charged: NotRequired[int]
    """
    Credits that the job cost.
    """
    refunded: NotRequired[int]
    """
    Credits that were refunded.
    """


class TranscriptRequest(TypedDict):
    """
    Asks for the transcript of a video.
    """

    url: str
    """
    Full public video URL, or a direct media file URL.
    """
    mode: NotRequired[Literal['native', 'generate', 'auto']]
    """
    `native`: platform captions, 1 credit. `generate`: AI speech-to-text, 5 credits. `auto`: native first, AI if native is unavailable; holds 5 credits and refunds 4 if captions were found.
    """
    lang: NotRequired[str]
    """
    Language hint: a BCP 47 tag, or the English or native name of a language. If the video lacks it, the original is given and `GET /v1/jobs/{jobId}` warns.
    """
    strictLang: NotRequired[bool]
    """
    `lang` is a condition: an unknown language is a 400, and captions in any other language do not count. The job then fails with `captions_unavailable` (`native`), or goes on to speech-to-text. Without `lang` it changes nothing.
    """
    translate: NotRequired[bool]
    """
    If there are no captions in `lang`, those translated into it by the platform may be given, as `translated_captions`. Without `lang` it changes nothing.
    """
    words: NotRequired[bool]
    """
    The result has `words`, each with its times, if the captions or the speech engine have them. Otherwise it is null and `GET /v1/jobs/{jobId}` warns.
    """
    speakers: NotRequired[bool]
    """
    Each segment names its `speaker` (`A`, `B`, …). Only with mode `generate`, because captions name no speakers; a 400 if the speech engine of this service cannot tell speakers apart.
    """
    vocabulary: NotRequired[str]
    """
    Names and terms to expect, separated by commas, the most important first: a transcription spells them this way. Captions are not changed. A speech engine may use only the first of them, or none: `GET /v1/jobs/{jobId}` then warns.
    """
    failFast: NotRequired[bool]
    """
    If the platform refuses to answer, the job fails with `platform_blocked` at once, refunded; otherwise it is retried until its window ends.
    """
    webhookUrl: NotRequired[str]
    """
    Where to tell that the job has ended, by a `job.completed` or a `job.failed`: a shorthand for a webhook. Needs the scope `webhooks` too, and the secret of `POST /v1/webhooks/secret`, which signs the messages. Its host counts among the webhooks of the plan for a day.
    """
    reuse: NotRequired[bool]
    """
    If the organization has a completed job with the same request that is at most 24 hours old and not deleted, the new job ends at once with its result, for 0 credits. Otherwise it is an ordinary job.
    """


class TranscriptResultSegment(TypedDict):
    start: float
    """
    Seconds.
    """
    end: float
    """
    Seconds.
    """
    text: str
    """
    What is said or shown.
    """
    speaker: NotRequired[str]
    """
    Who speaks, as the speech engine names them; only if `speakers` was asked for, and missing if the engine does not know.
    """


class TranscriptResultWord(TypedDict):
    start: float
    """
    Seconds.
    """
    end: float
    """
    Seconds.
    """
    text: str
    confidence: NotRequired[float]
    """
    How sure the speech engine is of the word; missing if it does not say.
    """


class TranscriptResultChunk(TypedDict):
    start: float
    """
    Seconds.
    """
    end: float
    """
    Seconds.
    """
    text: str
    """
    A piece of `text`. Between two pieces there is nothing but white space.
    """


class TranscriptResult(TypedDict):
    """
    A transcript.
    """

    text: str
    """
    Full transcript as one string.
    """
    segments: list[TranscriptResultSegment]
    """
    Timestamped segments.
    """
    language: str | None
    """
    BCP 47 tag of the text; null when it is not known.
    """
    languageProbability: NotRequired[float]
    """
    How probable it is that `language` is spoken; of speech only. Missing if it is not known, and if another language was heard than `lang`, which is then in `language`: the details of the job warn of it if that is nearly sure.
    """
    confidence: NotRequired[float]
    """
    How sure the speech engine is of the text as a whole: the mean of its words. Missing if it is not known.
    """
    source: Literal['captions', 'automatic_captions', 'translated_captions', 'speech']
    """
    The source of the text. `translated_captions`: the platform translated captions in another language.
    """
    words: NotRequired[list[TranscriptResultWord] | None]
    """
    The words with their times; only if `words` was asked for. Null if neither captions nor engine have them.
    """
    availableLanguages: list[str] | None
    """
    BCP 47 tags of the languages in which the video has captions, without those translated by the platform. Null if unknown.
    """
    chunks: NotRequired[list[TranscriptResultChunk]]
    """
    The text in chunks of whole sentences; only if `chunkSize` asks for them.
    """


class UsageCost(TypedDict):
    """
    What jobs have cost.
    """

    jobs: int
    """
    Jobs that have ended.
    """
    creditsCharged: int
    """
    Credits that they have cost.
    """
    creditsRefunded: int
    """
    Credits that were taken for them and came back.
    """


class UsageGroup(TypedDict):
    """
    What the jobs of one group have cost.
    """

    group: str
    """
    A day, an operation, the id of a key or a platform; `unknown` if it is not known.
    """
    jobs: int
    """
    Jobs that have ended.
    """
    creditsCharged: int
    """
    Credits that they have cost.
    """
    creditsRefunded: int
    """
    Credits that were taken for them and came back.
    """


class VideoMetadata(TypedDict):
    """
    What is known of one video. A number that the source does not give is null, never 0. `X-Metadata-Incomplete` names what could not be read.
    """

    title: str | None
    """
    Title of the video.
    """
    author: str | None
    """
    Display name of the channel or account.
    """
    platform: Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook', 'direct']
    """
    Platform identifier; `direct` for a media file.
    """
    duration: float | None
    """
    Seconds.
    """
    viewCount: float | None
    """
    As reported by the platform.
    """
    likeCount: float | None
    """
    As reported by the platform.
    """
    thumbnail: str | None
    """
    Thumbnail image URL.
    """
    description: str | None
    """
    The creator's description, at most the first 10,000 characters; null if it is not known.
    """
    publishedAt: str | None
    """
    When it was published, ISO 8601; midnight UTC if the platform shows only the day.
    """
    authorId: str | None
    """
    The platform's id of the account that published it: it stays when the account takes another name.
    """
    authorUrl: str | None
    """
    Page of the account that published it.
    """
    commentCount: float | None
    """
    As reported by the platform.
    """
    shareCount: float | None
    """
    As reported by the platform.
    """
    tags: list[str] | None
    """
    YouTube: the tags of the video. Elsewhere: the hashtags of its caption without their `#`. Null if none are known.
    """
    isLive: bool | None
    """
    Whether it is being broadcast now; null if the platform does not say.
    """
    captions: NotRequired[list[CaptionTrack] | None]
    """
    Only with `include=captions`: the caption tracks of the video, without those translated by the platform. Null if there may be some that the platform keeps from this service, or if they could not be read.
    """
    chapters: NotRequired[list[Chapter] | None]
    """
    Only with `include=chapters`. Null if the source has none, or if they could not be read.
    """


class WatchFailure(TypedDict):
    """
    Why its newest looks brought nothing; null: the source could be read. It looks again after 15 minutes at most.
    """

    code: str
    """
    `empty`: the source had no videos. `too_long`: a playlist of more than 1,000. Else the code of the error.
    """
    since: str
    """
    ISO 8601 timestamp.
    """


class WatchChanges(TypedDict):
    """
    What is to change of a watch. What is left out stays.
    """

    every: NotRequired[Literal['15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d']]
    """
    How often it looks. A plan allows `1d` (Free), `1h` (Starter) or `15m` (Pro) at most.
    """
    maxCreditsPerMonth: NotRequired[int]
    """
    Credits that its jobs may take in a calendar month (UTC).
    """
    status: NotRequired[Literal['on', 'paused']]
    """
    `paused`: it does not look. `on`: it looks again, at once.
    """


class WatchDetailsFailure(TypedDict):
    """
    Why its newest looks brought nothing; null: the source could be read. It looks again after 15 minutes at most.
    """

    code: str
    """
    `empty`: the source had no videos. `too_long`: a playlist of more than 1,000. Else the code of the error.
    """
    since: str
    """
    ISO 8601 timestamp.
    """


class WatchSource(TypedDict):
    """
    A source of videos, with the parameters of `GET /v1/youtube/channel`, `/v1/youtube/playlist`, `/v1/{platform}/profile`, `/v1/search`.
    """

    type: Literal['channel', 'playlist', 'profile', 'search']
    """
    What it is.
    """
    url: NotRequired[str]
    """
    Of a channel or playlist of YouTube, or of a profile.
    """
    handle: NotRequired[str]
    """
    Of a channel of YouTube, instead of `url`.
    """
    id: NotRequired[str]
    """
    Of a channel or playlist of YouTube, instead of `url`.
    """
    list: NotRequired[Literal['videos', 'shorts', 'lives']]
    """
    Of a channel: what of it. `videos` if omitted.
    """
    username: NotRequired[str]
    """
    Of a profile, instead of `url`.
    """
    platform: NotRequired[Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook'] | None]
    """
    Of a profile (required) or of a search; a search without one is on all of them.
    """
    q: NotRequired[str]
    """
    Of a search: what is looked for.
    """


class WatchThen(TypedDict):
    """
    What is asked for each new video.
    """

    operation: Literal['transcript', 'extraction']
    """
    `transcript`: as `POST /v1/transcript`. `extraction`: as `POST /v1/extract`.
    """
    options: NotRequired[dict[str, Any]]
    """
    The body of that request, without `url`, `webhookUrl` and `reuse`.
    """


class WebhookAttempt(TypedDict):
    """
    One try to deliver a message.
    """

    at: str
    """
    When it was over. ISO 8601 timestamp.
    """
    status: int | None
    """
    Status of the answer; null if there was none.
    """
    failure: str | None
    """
    Why there was no answer; null if there was one.
    """
    milliseconds: int
    """
    How long it took.
    """
    answer: str
    """
    The first 200 bytes of the answer, as text.
    """


class WebhookBatchMessageDataLinks(TypedDict):
    """
    Where to read more. Paths if the service does not know its own address.
    """

    batch: str
    """
    The batch.
    """
    results: str
    """
    Its results.
    """


class WebhookBatchMessageData(TypedDict):
    """
    The batch.
    """

    batchId: str
    """
    Identifier of the batch.
    """
    operation: Literal['transcript', 'extraction']
    """
    What is asked for each item.
    """
    reason: Literal['completed', 'cancelled', 'key_revoked', 'source_failed', 'not_accepted']
    """
    How it ended. `completed`: every item has ended by itself. `cancelled`: it was cancelled. `key_revoked`: the key that made it was revoked. `source_failed`: its source could not be read. `not_accepted`: it was not accepted in time, and nothing was charged.
    """
    completed: int
    """
    Items that have completed.
    """
    failed: int
    """
    Items that have failed.
    """
    cancelled: int
    """
    Items that never began.
    """
    creditsCharged: int
    """
    What it has cost.
    """
    creditsReturned: int
    """
    What has come back of what was held.
    """
    links: WebhookBatchMessageDataLinks
    """
    Where to read more. Paths if the service does not know its own address.
    """


class WebhookBatchMessage(TypedDict):
    """
    Tells of the end of a batch.
    """

    type: Literal['batch.ended']
    """
    What has happened.
    """
    timestamp: str
    """
    When it happened.
    """
    data: WebhookBatchMessageData
    """
    The batch.
    """


class WebhookChanges(TypedDict):
    """
    What is to change of a webhook. What is left out stays.
    """

    url: NotRequired[str]
    """
    The URL that gets the messages: `https`, a public host, the scheme's own port. An operator may allow `http`. No redirect is followed.
    """
    events: NotRequired[list[Literal['job.completed', 'job.failed', 'credits.low', 'watch.found', 'batch.ended']]]
    """
    The events that it gets.
    """
    results: NotRequired[bool]
    """
    A `job.completed` brings the result itself if that is small: messages have at most 20 kB. Needs a key that may `read`.
    """
    status: NotRequired[Literal['on', 'off']]
    """
    `off`: nothing is sent. `on`: it is notified of new events; a replay sends what it has missed.
    """


class WebhookCreditsMessageData(TypedDict):
    creditsLeft: int


class WebhookCreditsMessage(TypedDict):
    """
    The body of `credits.low`: fewer credits are left than a tenth of what the plan gives in a month, or than ten.
    """

    type: Literal['credits.low']
    timestamp: str
    """
    When it happened.
    """
    data: WebhookCreditsMessageData


class WebhookDelivery(TypedDict):
    """
    A message of a webhook, and how its delivery goes.
    """

    id: str
    """
    Identifier of the delivery: the header `webhook-id` of each attempt.
    """
    type: Literal['job.completed', 'job.failed', 'credits.low', 'watch.found', 'batch.ended', 'ping']
    """
    What it reports: an event, or `ping`.
    """
    jobId: str | None
    """
    The job that it is about; null if it is about none.
    """
    status: Literal['open', 'delivered', 'failed', 'dropped']
    """
    `open`: it waits for its first or next attempt. `dropped`: the webhook was off or gone, or what it was about was deleted. All but `open` are final, until it is sent again.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    nextAttemptAt: str | None
    """
    When the next attempt is due; null if there is none.
    """
    attempts: list[WebhookAttempt]
    """
    The newest ones, oldest first.
    """


class WebhookDeliveryList(TypedDict):
    """
    One page of the deliveries of a webhook.
    """

    deliveries: list[WebhookDelivery]
    """
    Newest first.
    """
    nextCursor: str | None
    """
    Given as `cursor` it brings the next page; null on the last one.
    """


WebhookEventType: TypeAlias = Literal['job.completed', 'job.failed', 'credits.low', 'watch.found', 'batch.ended']
"""
`job.completed`, `job.failed`: a job has ended. `credits.low`: fewer credits are left than a tenth of the plan's monthly ones, or than 10 if that is more; sent once until they rise above it. `batch.ended`: a batch has ended. `watch.found`: a watch has found new videos.
"""


class WebhookJobMessageDataLinks(TypedDict):
    """
    If the result and the details are asked for, with a key; paths if the service does not know its address.
    """

    result: str
    job: str


class WebhookJobMessageData(TypedDict):
    jobId: str
    kind: Literal['transcript', 'extraction']
    status: Literal['completed', 'failed']
    url: str | None
    """
    The URL that the job was requested with.
    """
    error: JobFailure | None
    """
    Why it failed; null: it completed.
    """
    creditsCharged: int | None
    """
    Credits.
    """
    links: WebhookJobMessageDataLinks
    """
    If the result and the details are asked for, with a key; paths if the service does not know its address.
    """
    result: NotRequired[dict[str, Any]]
    """
    The result itself, as `resultJson` has it: if the webhook asks for results, and it is small.
    """


class WebhookJobMessage(TypedDict):
    """
    The body of `job.completed` and `job.failed`: a job has ended.
    """

    type: Literal['job.completed', 'job.failed']
    timestamp: str
    """
    When it happened.
    """
    data: WebhookJobMessageData


class WebhookPingMessageData(TypedDict):
    webhookId: str


class WebhookPingMessage(TypedDict):
    """
    The body of `ping`, which tests a webhook.
    """

    type: Literal['ping']
    timestamp: str
    """
    When it happened.
    """
    data: WebhookPingMessageData


class WebhookSecret(TypedDict):
    """
    A secret that was just made. It is never shown again.
    """

    secret: str
    """
    The secret that messages are signed with (Standard Webhooks).
    """


class WebhookWatchMessageDataFoundItem(TypedDict):
    number: int
    """
    Its number among all that the watch has found.
    """
    id: str
    """
    Its id on its platform.
    """
    url: str
    """
    Its URL.
    """
    title: str | None
    """
    Its title; null: not known.
    """
    publishedAt: str | None
    """
    When it was published; null: not known.
    """


class WebhookWatchMessageDataLinks(TypedDict):
    """
    If all of them are read. A path if the service does not know its own address.
    """

    found: str
    """
    What it has found from there on.
    """


class WebhookWatchMessageData(TypedDict):
    """
    What was found.
    """

    watchId: str
    """
    Identifier of the watch.
    """
    count: int
    """
    How many videos this look has found.
    """
    found: list[WebhookWatchMessageDataFoundItem]
    """
    The first 20 of them, in order.
    """
    links: WebhookWatchMessageDataLinks
    """
    If all of them are read. A path if the service does not know its own address.
    """


class WebhookWatchMessage(TypedDict):
    """
    Reports videos that a watch has found.
    """

    type: Literal['watch.found']
    """
    What has happened.
    """
    timestamp: str
    """
    When it happened.
    """
    data: WebhookWatchMessageData
    """
    What was found.
    """


class YouTubeChannelAuthor(TypedDict):
    """
    Who it is.
    """

    username: str | None
    """
    Handle without `@`.
    """
    displayName: str | None
    """
    Name of the channel.
    """
    avatarUrl: str | None
    """
    Avatar image URL.
    """
    verified: bool | None
    """
    Whether YouTube marks the channel as verified; null if it does not say.
    """


class YouTubeChannelStats(TypedDict):
    """
    Counts, rounded as YouTube shows them.
    """

    followers: float | None
    """
    Subscribers.
    """
    videos: float | None
    """
    Videos of all types.
    """


class YouTubePlaylistStats(TypedDict):
    """
    Counts.
    """

    videos: float | None
    """
    Videos of the playlist.
    """


class BatchDetails(TypedDict):
    """
    A batch with all that is known of it, but for its items.
    """

    batchId: str
    """
    Identifier of the batch.
    """
    operation: Literal['transcript', 'extraction']
    """
    What is asked for each item.
    """
    options: dict[str, Any]
    """
    What is asked for each item, as far as it is not the default.
    """
    source: WatchSource | None
    """
    The source of its items; null: the request listed them.
    """
    since: str | None
    """
    Only videos published from then on are read; null: all.
    """
    limit: int
    """
    The most items that it may have.
    """
    status: Literal['running', 'ended']
    """
    Whether it has ended.
    """
    reason: Literal['completed', 'cancelled', 'key_revoked', 'source_failed', 'not_accepted'] | None
    """
    How it ended. `completed`: every item has ended by itself. `cancelled`: it was cancelled. `key_revoked`: the key that made it was revoked. `source_failed`: its source could not be read. `not_accepted`: it was not accepted in time, and nothing was charged. Null: it has not.
    """
    complete: bool
    """
    Whether all its items are known.
    """
    cancelled: bool
    """
    Whether nothing begins any more.
    """
    items: int
    """
    How many items are known: those of a source are read in the course of it.
    """
    skippedLines: int
    """
    Requests that were left out because they are invalid.
    """
    itemWebhooks: bool
    """
    Whether webhooks are told of the end of each of its jobs.
    """
    counts: BatchDetailsCounts
    """
    How many items are in each state.
    """
    credits: BatchDetailsCredits
    """
    Its credits.
    """
    createdAt: str
    """
    When it was accepted.
    """
    createdBy: str | None
    """
    The key that made it; null: it was made on the dashboard.
    """
    endedAt: str | None
    """
    When it ended; null: it has not.
    """
    expectedEndAt: str | None
    """
    When it will have ended at the pace so far; null: it has ended.
    """


class Credits(TypedDict):
    """
    The credits of the caller's organization.
    """

    plan: Literal['free', 'starter', 'pro']
    """
    What the organization pays for.
    """
    period: str | None
    """
    The month (UTC) that the available credits belong to, YYYY-MM; null if they belong to none and do not expire.
    """
    available: int
    """
    Credits that jobs can take; the same as `creditsRemaining`.
    """
    held: int
    """
    Credits taken for jobs that have not ended. What such a job does not cost comes back when it ends.
    """
    renewal: CreditsRenewal | None
    """
    When the available credits expire and the plan gives new ones; null if neither happens.
    """


class ErrorFacts(TypedDict):
    """
    Facts about an error, for programs. Which there are depends on the error; more may come. `code`: if a lookup failed, the failure code that a job would have.
    """

    reason: NotRequired[str]
    """
    For 403: `insufficient_credits`, `monthly_credits` (of the key), `plan`, `scope` (of the key), `key_limits` (a new key would exceed those of the key that makes it) or `other_key` (the key may not revoke it).
    """
    required: NotRequired[int | str]
    """
    For 403: what the request needs: credits for `insufficient_credits` and `monthly_credits`, the name of the scope for `scope`.
    """
    remaining: NotRequired[int]
    """
    For 403: what is left of it.
    """
    plansUrl: NotRequired[str]
    """
    For `insufficient_credits` and `plan`: the page of larger plans. Missing if the service does not know its public address, or has no dashboard.
    """
    exceeded: NotRequired[list[str]]
    """
    For `key_limits`: the fields of the new key that exceed those of the key that makes it.
    """
    platform: NotRequired[str | None]
    """
    If a lookup failed: the platform; null if several were searched.
    """
    code: NotRequired[FailureCode]
    jobId: NotRequired[str]
    """
    For 503: a job that may have been started.
    """


class ErrorObject(TypedDict):
    """
    What every answer of status 400 and above carries.
    """

    error: ErrorCode
    message: str
    """
    Plain-language description.
    """
    details: list[RequestProblem] | ErrorFacts | None
    """
    null unless useful.
    """
    documentationUrl: str | None
    """
    The page that explains this error: `/docs/errors` of this service, at the code in `details` if there is one, else at `error`. null if the service does not know its public address.
    """


class EstimateRefusal(TypedDict):
    """
    Why its POST would be refused: its answer. Null if it would be accepted.
    """

    status: int
    """
    Of the answer.
    """
    error: ErrorCode
    message: str
    """
    Plain-language description.
    """
    details: list[RequestProblem] | ErrorFacts | None
    """
    `details` of the Error object.
    """
    retryAfterSeconds: float | None
    """
    `Retry-After` of the answer.
    """


class Estimate(TypedDict):
    """
    What a job would cost and how long it would take, as far as it can be told now.
    """

    kind: Literal['transcript', 'extraction']
    credits: EstimateCredits
    captions: list[CaptionTrack] | None
    """
    The caption tracks of the video; null if they are not known.
    """
    duration: float | None
    """
    Length of the video in seconds; null when it is not known.
    """
    seconds: float | None
    """
    An estimate of the time from the POST to the end of the job, without waiting for other jobs: from the length of the video and the speed measured on others. Null if unknown.
    """
    waitSeconds: float | None
    """
    How long the job would wait for its turn, seconds, in the queue as it is now: as long as jobs in it have waited. Null if its POST would be refused.
    """
    refusal: EstimateRefusal | None
    """
    Why its POST would be refused: its answer. Null if it would be accepted.
    """
    failure: JobFailure | None
    """
    Why the job would fail: its `error`. `media_too_long`: the video is too long for the whole time of a job. `timeout`: `waitSeconds` and the time that it takes itself are longer than that: later it may be done. Null if no reason is known.
    """


class ExtractJob(TypedDict):
    """
    An extraction job.
    """

    jobId: str
    """
    Identifier of the job.
    """
    status: Literal['queued', 'completed', 'failed']
    """
    `completed` and `failed` are final.
    """
    resultJson: dict[str, Any] | None
    """
    Present when completed; otherwise null. It fits the schema of the request; without one it is any object, and an answer that is none is its `result`.
    """
    error: JobFailure | None
    """
    Why the job failed; otherwise null.
    """


class JobDetails(TypedDict):
    """
    Everything about a job but its result, which is at the address of its kind.
    """

    jobId: str
    """
    Identifier of the job.
    """
    kind: Literal['transcript', 'extraction']
    """
    What was asked for.
    """
    status: Literal['queued', 'completed', 'failed']
    """
    As a poll of the job shows it. `completed` and `failed` are final.
    """
    state: Literal['waiting', 'working', 'settling', 'completed', 'failed', 'cancelled']
    """
    Where the job stands. `waiting`: for what `waitingFor` says. `working`: a worker is at its step. `settling`: it has ended, and shows how as soon as its credits are settled, usually within milliseconds. The others are final.
    """
    url: str | None
    """
    The video, in the canonical spelling of its URL; null if the job was never accepted.
    """
    mode: Literal['native', 'generate', 'auto'] | None
    """
    As it was asked for; null for an extraction.
    """
    step: Literal['fetch', 'caption', 'speech-to-text', 'extract'] | None
    """
    The step at work, or the next one; null once the job has ended.
    """
    attempt: int | None
    """
    Which attempt of that step this is, or will be; null once the job has ended.
    """
    progress: float | None
    """
    The part of the step at work that is done; null if that is not known. Known for speech-to-text if it runs in the process that answers.
    """
    waitingFor: JobWait | None
    """
    What the job waits for; null unless its `state` is `waiting`.
    """
    credits: JobCredits
    reused: str | None
    """
    The job whose result this one has, because its request allowed it (`reuse`); null: it made its own.
    """
    language: str | None
    """
    The language of the text, a BCP 47 tag; null if there is none yet, or it is not known.
    """
    warnings: list[JobWarning]
    """
    How the result differs from what was asked for; mostly none.
    """
    error: JobFailure | None
    """
    Why the job failed; otherwise null.
    """
    traceId: str
    """
    Names the trace of the job, from its request to its end.
    """
    createdAt: str
    """
    When the job was accepted.
    """
    startedAt: str | None
    """
    When a worker first began; null before that.
    """
    deadlineAt: str | None
    """
    The job times out then, unless it has ended; null if it was never accepted.
    """
    endedAt: str | None
    """
    When it was completed, failed or was cancelled; null before that.
    """


class JobList(TypedDict):
    """
    One page of the organization's jobs.
    """

    jobs: list[ListedJob]
    """
    Newest first.
    """
    nextCursor: str | None
    """
    Given as `cursor` it brings the next page; null on the last one.
    """


class NewWebhook(TypedDict):
    """
    A webhook that was just made, with its secret, which is never shown again.
    """

    id: str
    """
    Identifier of the webhook.
    """
    kind: Literal['endpoint', 'url']
    """
    `endpoint`: is notified of its events. `url`: stands for the `webhookUrl` of jobs, and is notified when they end.
    """
    host: str
    """
    The host of its URL.
    """
    events: list[WebhookEventType]
    """
    The events that it gets; empty for a `url`.
    """
    results: bool
    """
    Whether a small result comes with the message.
    """
    status: Literal['on', 'off']
    """
    Whether messages are sent.
    """
    reason: Literal['asked', 'gone', 'failing'] | None
    """
    Why it is off. `asked`: the organization switched it off. `gone`: it answered 410. `failing`: the last attempt at a message failed, and nothing was accepted for four days. Null if it is on.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    createdBy: str | None
    """
    The API key that made it; null if it was created in the dashboard.
    """
    lastSuccessAt: str | None
    """
    When it last took a message; null: never.
    """
    url: str
    """
    Where its messages go.
    """
    secret: str
    """
    The secret that messages are signed with (Standard Webhooks).
    """


class ProfileVideo(TypedDict):
    """
    One item of a profile (specification: VideoMeta item), of a channel or of a playlist.
    """

    platform: Literal['tiktok', 'instagram', 'youtube']
    """
    Platform identifier.
    """
    type: Literal['video', 'post', 'sidecar']
    """
    TikTok and YouTube: `video`. Instagram: `video`, `post` (image) or `sidecar` (carousel).
    """
    id: str
    """
    Platform identifier of the item.
    """
    url: str
    """
    Item URL; usable in metadata, transcript and extract.
    """
    title: str | None
    """
    Title.
    """
    description: str | None
    """
    Caption text.
    """
    stats: Stats
    media: ProfileMedia
    tags: list[str] | None
    """
    Hashtags without the leading `#`, in the order of the caption; null in lists of YouTube, which show no captions.
    """
    createdAt: str | None
    """
    When it was published, ISO 8601; null in lists of YouTube, which tell no dates.
    """
    authorId: str | None
    """
    The platform's id of the account that published it: it stays when the account takes another name.
    """
    authorUrl: str | None
    """
    Page of the account that published it.
    """
    isLive: bool | None
    """
    Whether it is being broadcast now; null if the platform does not say.
    """
    additionalData: ProfileVideoAdditionalData
    """
    What only one platform has: `shortcode` of Instagram items, `channel` of YouTube items.
    """


class SearchResult(TypedDict):
    """
    A video that was found.
    """

    platform: Literal['youtube', 'tiktok', 'instagram', 'x', 'facebook']
    """
    Platform the video was found on.
    """
    url: str
    """
    Canonical video URL; usable as `url` in metadata, transcript and extract.
    """
    title: str | None
    """
    Title or caption.
    """
    author: str | None
    """
    Creator handle or display name.
    """
    stats: Stats
    duration: float | None
    """
    Seconds.
    """
    thumbnail: str | None
    """
    Thumbnail image URL.
    """
    createdAt: str | None
    """
    When it was published, ISO 8601; null if the platform shows no date.
    """
    description: str | None
    """
    The creator's description, at most the first 10,000 characters; null if it is not known.
    """
    authorId: str | None
    """
    The platform's id of the account that published it: it stays when the account takes another name.
    """
    authorUrl: str | None
    """
    Page of the account that published it.
    """
    tags: list[str] | None
    """
    YouTube: the tags of the video. Elsewhere: the hashtags of its caption without their `#`. Null if none are known.
    """
    isLive: bool | None
    """
    Whether it is being broadcast now; null if the platform does not say.
    """


class TikTokProfile(TypedDict):
    """
    A TikTok creator.
    """

    platform: Literal['tiktok']
    """
    Always `tiktok`.
    """
    type: Literal['profile']
    """
    Always `profile`.
    """
    username: str
    """
    Handle without `@`.
    """
    url: str
    """
    Canonical profile URL.
    """
    author: TikTokProfileAuthor
    """
    Who it is.
    """
    stats: TikTokProfileStats
    """
    Counts.
    """
    videos: list[ProfileVideo]
    """
    Most recent videos, newest first.
    """


class Timeline(TypedDict):
    """
    What has happened to a job so far.
    """

    events: list[TimelineEvent]
    """
    Oldest first.
    """
    ended: bool
    """
    Whether the job has ended: `completed`, `failed` or `cancelled` is among its events, here or before.
    """


class TranscriptJob(TypedDict):
    """
    A transcript job.
    """

    jobId: str
    """
    Identifier of the job.
    """
    status: Literal['queued', 'completed', 'failed']
    """
    `completed` and `failed` are final.
    """
    resultJson: TranscriptResult | None
    """
    Present when completed; otherwise null.
    """
    error: JobFailure | None
    """
    Why the job failed; otherwise null.
    """


Usage = TypedDict(
    'Usage',
    {
        'from': str,
        'to': str,
        'groupBy': Literal['day', 'operation', 'key', 'platform'],
        'groups': list[UsageGroup],
        'totals': UsageCost,
    },
)


class Watch(TypedDict):
    """
    A source that is watched for new videos.
    """

    watchId: str
    """
    Identifier of the watch.
    """
    source: WatchSource
    every: Literal['15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d']
    """
    How often it looks.
    """
    then: WatchThen | None
    """
    What is asked for each new video; null: nothing.
    """
    maxCreditsPerMonth: int | None
    """
    Credits that its jobs may take in a calendar month (UTC); null if it asks for none.
    """
    status: Literal['on', 'paused']
    """
    Whether it looks.
    """
    reason: Literal['asked', 'credits', 'cap', 'source', 'key', 'unseen'] | None
    """
    Why it is paused. `asked`: the organization paused it. `credits`: the organization has too few. `cap`: its own credits of the month, or those of its key, are used up. `source`: there is no such source, or it could not be read for a week. `key`: the key that made it has ended. `unseen`: no member was active for 90 days. Null if it is on.
    """
    failure: WatchFailure | None
    """
    Why its newest looks brought nothing; null: the source could be read. It looks again after 15 minutes at most.
    """
    found: int
    """
    How many new videos it has found: the number of the newest.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    createdBy: str | None
    """
    The API key that made it; null if it was created in the dashboard.
    """
    lastLookAt: str | None
    """
    When it last looked; of looks that bring nothing one in an hour is noted. Null: it has not yet.
    """
    nextLookAt: str | None
    """
    When it looks next; null while it is paused.
    """


class WatchDetails(TypedDict):
    """
    A watch, with the credits of its month.
    """

    watchId: str
    """
    Identifier of the watch.
    """
    source: WatchSource
    every: Literal['15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d']
    """
    How often it looks.
    """
    then: WatchThen | None
    """
    What is asked for each new video; null: nothing.
    """
    maxCreditsPerMonth: int | None
    """
    Credits that its jobs may take in a calendar month (UTC); null if it asks for none.
    """
    status: Literal['on', 'paused']
    """
    Whether it looks.
    """
    reason: Literal['asked', 'credits', 'cap', 'source', 'key', 'unseen'] | None
    """
    Why it is paused. `asked`: the organization paused it. `credits`: the organization has too few. `cap`: its own credits of the month, or those of its key, are used up. `source`: there is no such source, or it could not be read for a week. `key`: the key that made it has ended. `unseen`: no member was active for 90 days. Null if it is on.
    """
    failure: WatchDetailsFailure | None
    """
    Why its newest looks brought nothing; null: the source could be read. It looks again after 15 minutes at most.
    """
    found: int
    """
    How many new videos it has found: the number of the newest.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    createdBy: str | None
    """
    The API key that made it; null if it was created in the dashboard.
    """
    lastLookAt: str | None
    """
    When it last looked; of looks that bring nothing one in an hour is noted. Null: it has not yet.
    """
    nextLookAt: str | None
    """
    When it looks next; null while it is paused.
    """
    creditsThisMonth: int
    """
    Credits that were debited for its jobs this month (UTC), some of which may have come back.
    """


class Webhook(TypedDict):
    """
    A server of an organization that is notified of events.
    """

    id: str
    """
    Identifier of the webhook.
    """
    kind: Literal['endpoint', 'url']
    """
    `endpoint`: is notified of its events. `url`: stands for the `webhookUrl` of jobs, and is notified when they end.
    """
    host: str
    """
    The host of its URL.
    """
    events: list[WebhookEventType]
    """
    The events that it gets; empty for a `url`.
    """
    results: bool
    """
    Whether a small result comes with the message.
    """
    status: Literal['on', 'off']
    """
    Whether messages are sent.
    """
    reason: Literal['asked', 'gone', 'failing'] | None
    """
    Why it is off. `asked`: the organization switched it off. `gone`: it answered 410. `failing`: the last attempt at a message failed, and nothing was accepted for four days. Null if it is on.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    createdBy: str | None
    """
    The API key that made it; null if it was created in the dashboard.
    """
    lastSuccessAt: str | None
    """
    When it last took a message; null: never.
    """


class WebhookDetails(TypedDict):
    """
    A webhook with its whole URL.
    """

    id: str
    """
    Identifier of the webhook.
    """
    kind: Literal['endpoint', 'url']
    """
    `endpoint`: is notified of its events. `url`: stands for the `webhookUrl` of jobs, and is notified when they end.
    """
    host: str
    """
    The host of its URL.
    """
    events: list[WebhookEventType]
    """
    The events that it gets; empty for a `url`.
    """
    results: bool
    """
    Whether a small result comes with the message.
    """
    status: Literal['on', 'off']
    """
    Whether messages are sent.
    """
    reason: Literal['asked', 'gone', 'failing'] | None
    """
    Why it is off. `asked`: the organization switched it off. `gone`: it answered 410. `failing`: the last attempt at a message failed, and nothing was accepted for four days. Null if it is on.
    """
    createdAt: str
    """
    ISO 8601 timestamp.
    """
    createdBy: str | None
    """
    The API key that made it; null if it was created in the dashboard.
    """
    lastSuccessAt: str | None
    """
    When it last took a message; null: never.
    """
    url: str | None
    """
    Where its messages go; null if it cannot be read any more: set it again.
    """


class YouTubeChannel(TypedDict):
    """
    A YouTube channel, and what it lists of one type.
    """

    platform: Literal['youtube']
    """
    Always `youtube`.
    """
    type: Literal['channel']
    """
    Always `channel`.
    """
    id: str
    """
    YouTube's id of the channel, which stays when its handle changes.
    """
    username: str | None
    """
    Handle without `@`; null if the channel has none.
    """
    url: str
    """
    Canonical URL of the channel.
    """
    description: str | None
    """
    What the channel says of itself.
    """
    author: YouTubeChannelAuthor
    """
    Who it is.
    """
    stats: YouTubeChannelStats
    """
    Counts, rounded as YouTube shows them.
    """
    videos: list[ProfileVideo]
    """
    Videos of the requested type, in YouTube's order: newest first.
    """
    nextCursor: str | None
    """
    Send it as `cursor` with the same parameters for what follows; null if nothing does. A list that changes meanwhile may repeat or leave out a video.
    """


class YouTubePlaylist(TypedDict):
    """
    A YouTube playlist.
    """

    platform: Literal['youtube']
    """
    Always `youtube`.
    """
    type: Literal['playlist']
    """
    Always `playlist`.
    """
    id: str
    """
    YouTube's id of the playlist.
    """
    url: str
    """
    Canonical URL of the playlist.
    """
    title: str | None
    """
    Title of the playlist.
    """
    description: str | None
    """
    What its owner says of it.
    """
    author: str | None
    """
    Name of the channel that made it.
    """
    authorId: str | None
    """
    YouTube's id of that channel.
    """
    authorUrl: str | None
    """
    Page of that channel.
    """
    stats: YouTubePlaylistStats
    """
    Counts.
    """
    videos: list[ProfileVideo]
    """
    Videos in the order of the playlist. One that is private or was deleted meanwhile stays, with the title that YouTube gives it.
    """
    nextCursor: str | None
    """
    Send it as `cursor` with the same parameters for what follows; null if nothing does. A list that changes meanwhile may repeat or leave out a video.
    """


class InstagramProfile(TypedDict):
    """
    An Instagram creator.
    """

    platform: Literal['instagram']
    """
    Always `instagram`.
    """
    type: Literal['profile']
    """
    Always `profile`.
    """
    username: str
    """
    Handle.
    """
    url: str
    """
    Canonical profile URL.
    """
    description: str
    """
    Account bio text; may be empty.
    """
    author: InstagramProfileAuthor
    """
    Who it is.
    """
    stats: InstagramProfileStats
    """
    Counts.
    """
    videos: list[ProfileVideo]
    """
    Recent posts, newest first.
    """
