// Written by `npm run contracts` from the schemas in contracts/. Do not edit.
/**
 * What has not begun of a batch never will.
 */
export interface BatchCancelledV1 {
  /**
   * asked: by its organization.
   */
  reason: "asked" | "key_revoked" | "source_failed";
  /**
   * The API key that asked for it; null: none.
   */
  by: string | null;
}

/**
 * Every item of a batch has ended. What is left of its hold is released next.
 */
export interface BatchEndedV1 {
  /**
   * completed: every item had its turn. not_accepted: its request was cut off.
   */
  reason: "completed" | "cancelled" | "key_revoked" | "source_failed" | "not_accepted";
  /**
   * Items.
   */
  completed: number;
  /**
   * Items.
   */
  failed: number;
  /**
   * Items that never began, or were to begin anew.
   */
  cancelled: number;
  /**
   * Credits.
   */
  charged: number;
  /**
   * Credits that were held and are not charged.
   */
  returned: number;
  /**
   * The webhook that its request named; null: none.
   */
  webhookId: string | null;
}

/**
 * Videos of a batch, in its order. It is accepted once the last are there.
 */
export interface BatchItemsAddedV1 {
  /**
   * The number of the first one, from 0 on.
   */
  from: number;
  /**
   * @maxItems 5000
   */
  items: {
    /**
     * The URL as it was given, in its canonical spelling.
     */
    url: string;
    platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
    /**
     * Lines of the request that ask for it; of a source its place there.
     *
     * @maxItems 5000
     */
    lines: number[];
  }[];
  /**
   * Whether these are the last.
   */
  isLast: boolean;
  /**
   * From where its source is read on; null: from nowhere.
   */
  next: string | null;
}

/**
 * Items begin. Their jobs are requested next; the id of each follows from batch, item and attempt.
 */
export interface BatchItemsBegunV1 {
  /**
   * @maxItems 5000
   */
  items: {
    /**
     * Its number.
     */
    item: number;
    /**
     * From 1 on.
     */
    attempt: number;
  }[];
}

/**
 * Jobs of items have ended, or items have ended without a job.
 */
export interface BatchItemsEndedV1 {
  /**
   * @maxItems 5000
   */
  items: {
    /**
     * Its number.
     */
    item: number;
    /**
     * Of its job; 0: it had none.
     */
    attempt: number;
    /**
     * Why its job has failed; null: it has completed.
     */
    code: string | null;
    /**
     * Credits.
     */
    charged: number;
    /**
     * It begins anew with another job, after so many seconds; null: it has ended.
     */
    again: number | null;
  }[];
}

/**
 * A batch of jobs was asked for. Its credits are held already; its items follow.
 */
export interface BatchRequestedV1 {
  /**
   * The organization the batch belongs to.
   */
  orgId: string;
  /**
   * What is asked for each of its videos.
   */
  request: {
    /**
     * What kind of job this is.
     */
    kind: "transcript" | "extraction";
    /**
     * How a transcript is made; null for an extraction.
     */
    mode: "native" | "generate" | "auto" | null;
    /**
     * Language hint, BCP 47.
     */
    lang: string | null;
    /**
     * Instruction of an extraction.
     */
    prompt: string | null;
    /**
     * JSON Schema of the result of an extraction.
     */
    schema: {} | null;
    /**
     * What the request asked for beyond mode and language.
     */
    options: {
      /**
       * A platform that refuses to answer fails the job at once.
       */
      failFast: boolean;
      /**
       * A text in another language than `lang` is no result.
       */
      strictLang: boolean;
      /**
       * A translation by the platform serves where the video lacks the language.
       */
      translate: boolean;
      /**
       * The transcript has the time of each word.
       */
      words: boolean;
      /**
       * The transcript tells speakers apart.
       */
      speakers: boolean;
      /**
       * Names and terms that the speech engine is to expect.
       */
      vocabulary: string | null;
    };
  };
  /**
   * From where its videos are read; null: they were named.
   */
  source: {} | null;
  /**
   * What the source says to be older is left out; milliseconds since 1970. Null: nothing is.
   */
  since: number | null;
  /**
   * The most items that it may have.
   */
  limit: number;
  /**
   * Credits that are held: the most that it may cost.
   */
  held: number;
  /**
   * Credits that one item may cost at most.
   */
  price: number;
  /**
   * The API key by which it was asked for; null: none, as on the dashboard.
   */
  keyId: string | null;
  /**
   * By which surface it was asked for.
   */
  surface: "api" | "mcp" | "dashboard";
  /**
   * The webhook that is told of its end, besides those that are told of every one; null: none.
   */
  webhookId: string | null;
  /**
   * Whether webhooks are told of the end of each of its jobs.
   */
  tellsItems: boolean;
  /**
   * Lines that were left out because they are invalid.
   */
  skippedLines: number;
  /**
   * SHA-256 of what was asked for.
   */
  requestHash: string;
  idempotencyKeyHash: string | null;
}

/**
 * The captions of the video, cleaned.
 */
export interface CaptionsReadV1 {
  /**
   * How the platform was read, where there are several ways.
   */
  way?: "yt-dlp" | "innertube";
  /**
   * BCP 47 tag of the language of the text; null when it is not known.
   */
  language: string | null;
  /**
   * Who made the text; `translated`: the platform, from captions in another language.
   */
  source: "human" | "automatic" | "translated";
  /**
   * The program or service that gave the text.
   */
  engine: string;
  /**
   * The model of the engine; null when it has none.
   */
  model: string | null;
  /**
   * Length of the audio in seconds; null when it is not known.
   */
  audioSeconds: number | null;
  segments: {
    /**
     * Seconds from the start of the video.
     */
    start: number;
    /**
     * Seconds from the start of the video.
     */
    end: number;
    text: string;
    speaker?: string;
  }[];
  words?: {
    start: number;
    end: number;
    text: string;
    confidence?: number;
  }[];
  /**
   * Where the attempt last read outside; absent where it read nothing there, as where all was cached.
   */
  readFrom?: {
    /**
     * The registrable domain by the public suffix list, such as `example.com`; an IP address as it is.
     */
    domain: string;
    /**
     * The name of the exit it left by: `direct`, or a proxy's host, port and session. Never a credential.
     */
    exit: string;
  };
}

/**
 * The caption step ended without captions.
 */
export interface CaptionsUnavailableV1 {
  /**
   * A failure code.
   */
  reason: string;
  /**
   * Where the attempt last read outside; absent where it read nothing there, as where all was cached.
   */
  readFrom?: {
    /**
     * The registrable domain by the public suffix list, such as `example.com`; an IP address as it is.
     */
    domain: string;
    /**
     * The name of the exit it left by: `direct`, or a proxy's host, port and session. Never a credential.
     */
    exit: string;
  };
}

/**
 * Credits were taken for one job, to be settled when it ends.
 */
export interface CreditsDebitedV1 {
  jobId: string;
  /**
   * 0: for a job that reuses a result.
   */
  credits: number;
  /**
   * The kind of job that was asked for.
   */
  operation: "transcript" | "extraction";
  /**
   * SHA-256 of the accepted request, and of what a repeat of it has to ask for besides.
   */
  requestHash: string;
  /**
   * How the transcript was asked for; null for an extraction.
   */
  mode: "native" | "generate" | "auto" | null;
  /**
   * Platform of the video.
   */
  platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
  /**
   * The API key by which it was asked for; null: none, as on the dashboard.
   */
  keyId: string | null;
  /**
   * Month (UTC) in which it counts for the key's monthly credits, YYYY-MM.
   */
  period: string;
  /**
   * The batch that the job is of, whose hold pays for it; null: none.
   */
  batch: {
    batchId: string;
    /**
     * Which of its items, from 0 on.
     */
    item: number;
    /**
     * Whether webhooks are told of the end of this job by itself.
     */
    isTold: boolean;
  } | null;
}

/**
 * Credits were given outside of a renewal.
 */
export interface CreditsGrantedV1 {
  credits: number;
  reason: "sign_up" | "adjustment";
  /**
   * Who did it: the id of an account that signed up, or of the entry in the audit trail that an operator's act has; `command`: an operator at the shell. Never a name or an address.
   */
  by: string;
}

/**
 * Credits were set aside for the jobs of one batch, whose debits are taken out of them.
 */
export interface CreditsHeldV1 {
  batchId: string;
  /**
   * The most that the batch may cost.
   */
  credits: number;
  /**
   * SHA-256 of what was asked for.
   */
  requestHash: string;
  /**
   * The API key by which it was asked for; null: none, as on the dashboard.
   */
  keyId: string | null;
  /**
   * Month (UTC) in which it counts for the key's monthly credits, YYYY-MM.
   */
  period: string;
}

/**
 * What is left of the credits that were set aside for a batch is given back. It has ended.
 */
export interface CreditsReleasedV1 {
  batchId: string;
  /**
   * What is left.
   */
  credits: number;
  /**
   * The API key by which it was asked for; null: none, as on the dashboard.
   */
  keyId: string | null;
}

/**
 * A month's credits were given, or the rest of them after an upgrade.
 */
export interface CreditsRenewedV1 {
  /**
   * Calendar month in UTC, YYYY-MM.
   */
  period: string;
  /**
   * Credits given.
   */
  credits: number;
  /**
   * Credits of the balance that expired.
   */
  expired: number;
}

/**
 * The debit of one job is closed. charged + refunded equals the debit. What the debit was for is repeated, so that use can be summed up from settlements alone.
 */
export interface CreditsSettledV1 {
  jobId: string;
  charged: number;
  refunded: number;
  /**
   * completed, or the code of the failure.
   */
  reason: string;
  /**
   * The kind of job that was asked for.
   */
  operation: "transcript" | "extraction";
  /**
   * How the transcript was asked for; null for an extraction.
   */
  mode: "native" | "generate" | "auto" | null;
  /**
   * Platform of the video.
   */
  platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
  /**
   * The API key by which it was asked for; null: none, as on the dashboard.
   */
  keyId: string | null;
  /**
   * The batch that the job is of, whose hold pays for it; null: none.
   */
  batch: {
    batchId: string;
    /**
     * Which of its items, from 0 on.
     */
    item: number;
    /**
     * Whether webhooks are told of the end of this job by itself.
     */
    isTold: boolean;
  } | null;
}

/**
 * The whole ledger so far: reading starts at the newest of these.
 */
export interface CreditsStatedV1 {
  balance: number;
  /**
   * The plan of the organization.
   */
  plan: "free" | "starter" | "pro";
  /**
   * Month of the last renewal, YYYY-MM; empty when there was none.
   */
  period: string;
  /**
   * Months that have begun with a renewal, YYYY-MM, oldest first: the newest ones.
   *
   * @maxItems 24
   */
  months: string[];
  /**
   * What this period's renewals gave.
   */
  renewed: number;
  /**
   * How often credits were given so far, by grants and renewals.
   */
  fillings: number;
  openDebits: {
    jobId: string;
    credits: number;
    requestHash: string;
    /**
     * The kind of job that was asked for.
     */
    operation: "transcript" | "extraction";
    /**
     * How the transcript was asked for; null for an extraction.
     */
    mode: "native" | "generate" | "auto" | null;
    /**
     * Platform of the video.
     */
    platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
    /**
     * The API key by which it was asked for; null: none, as on the dashboard.
     */
    keyId: string | null;
    /**
     * Month (UTC) in which it counts for the key's monthly credits, YYYY-MM.
     */
    period: string;
    /**
     * Its credits have expired since: its refund expires at once.
     */
    lapsed: boolean;
    /**
     * The batch that the job is of, whose hold pays for it; null: none.
     */
    batch: {
      batchId: string;
      /**
       * Which of its items, from 0 on.
       */
      item: number;
      /**
       * Whether webhooks are told of the end of this job by itself.
       */
      isTold: boolean;
    } | null;
  }[];
  /**
   * What is set aside for batches.
   */
  holds: {
    batchId: string;
    /**
     * What is left of it: open debits are subtracted.
     */
    credits: number;
    /**
     * SHA-256 of what was asked for.
     */
    requestHash: string;
    /**
     * The API key by which it was asked for; null: none, as on the dashboard.
     */
    keyId: string | null;
    /**
     * Month (UTC) in which it counts for the key's monthly credits, YYYY-MM.
     */
    period: string;
    /**
     * Its credits have expired since: what is released expires at once.
     */
    lapsed: boolean;
  }[];
  /**
   * Credits debited in one month and not refunded, by key.
   */
  spending: {
    /**
     * The month (UTC), YYYY-MM; empty before the first debit.
     */
    period: string;
    keys: {
      keyId: string;
      credits: number;
    }[];
  };
}

/**
 * The receiver was asked once.
 */
export interface DeliveryAttemptedV1 {
  /**
   * From 1 on since the delivery was requested or repeated.
   */
  attempt: number;
  /**
   * Of its answer; null: there was none.
   */
  status: number | null;
  /**
   * Why there was no answer; null: there was one.
   */
  failure: string | null;
  milliseconds: number;
  /**
   * The first 200 bytes of the answer, as text.
   */
  answer: string;
  /**
   * From this event to the next attempt; null: there is none.
   */
  nextInSeconds: number | null;
}

/**
 * The delivery has ended.
 */
export interface DeliveryEndedV1 {
  /**
   * The webhook.
   */
  webhookId: string;
  /**
   * dropped: the webhook was off or gone, or what it was about was deleted.
   */
  outcome: "delivered" | "failed" | "dropped";
}

/**
 * A delivery is to be made once more, from its first attempt on.
 */
export interface DeliveryRepeatedV1 {
  /**
   * The webhook.
   */
  webhookId: string;
  /**
   * What asked for it: a request, or the event of a replay. The same asks once.
   */
  request: string;
}

/**
 * A webhook is to be told of an event. The id of the delivery follows from both.
 */
export interface DeliveryRequestedV1 {
  /**
   * The organization the webhook belongs to.
   */
  orgId: string;
  /**
   * The webhook.
   */
  webhookId: string;
  type: "job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended" | "ping";
  /**
   * The job it is about; null: none.
   */
  jobId: string | null;
  /**
   * Of batch.ended: the batch; null for others.
   */
  batchId: string | null;
  /**
   * Of credits.low: the credits that were left; null for others.
   */
  balance: number | null;
  /**
   * Of watch.found: what was found; null for others.
   */
  watch: {
    /**
     * The watch.
     */
    watchId: string;
    /**
     * Of its event that has what was found.
     */
    revision: number;
  } | null;
}

/**
 * What the model drew from the video.
 */
export interface ExtractionProducedV1 {
  result: {};
  model: string;
  promptHash: string;
  schemaHash: string | null;
  framesUsed: number;
  tokens: {
    input: number;
    output: number;
  };
  /**
   * Calls of the model, repairs included.
   */
  rounds: number;
  /**
   * Where the attempt last read outside; absent where it read nothing there, as where all was cached.
   */
  readFrom?: {
    /**
     * The registrable domain by the public suffix list, such as `example.com`; an IP address as it is.
     */
    domain: string;
    /**
     * The name of the exit it left by: `direct`, or a proxy's host, port and session. Never a credential.
     */
    exit: string;
  };
}

/**
 * The job ended well.
 */
export interface JobCompletedV1 {
  /**
   * The organization the job belongs to.
   */
  orgId: string;
  /**
   * What kind of job this is.
   */
  kind: "transcript" | "extraction";
  /**
   * Credits to be charged.
   */
  credits: number;
}

/**
 * The job ended without a result; its debit is refunded in full.
 */
export interface JobFailedV1 {
  /**
   * The organization the job belongs to.
   */
  orgId: string;
  /**
   * What kind of job this is.
   */
  kind: "transcript" | "extraction";
  code: string;
  /**
   * For the person who asked; names no secret and no path.
   */
  message: string;
  /**
   * What the attempt that ended the job used of what the operator pays for, attempts before it not counted; null where no attempt ended the job: it timed out, was cancelled or was not accepted.
   */
  used: {
    /**
     * Tokens that the language model was sent and has answered.
     */
    tokens: {
      input: number;
      output: number;
    };
    /**
     * Sound that speech-to-text has transcribed, seconds.
     */
    audioSeconds: number;
  } | null;
  /**
   * What all attempts of the job have used of what the operator pays for, as far as it is known, where the job used any and ended by what its owner did or asked for: it was cancelled, nobody speaks in the video, the answer does not fit its schema or is too large, or the video turned out to be unfit or gone. Absent for every other end: nobody owes it.
   */
  unpaid?: {
    /**
     * Tokens that the language model was sent and has answered.
     */
    tokens: {
      input: number;
      output: number;
    };
    /**
     * Sound that speech-to-text has transcribed, seconds.
     */
    audioSeconds: number;
  };
  /**
   * Where the attempt that ended the job last read outside; absent where it read nothing there, and where no attempt ended the job.
   */
  readFrom?: {
    /**
     * The registrable domain by the public suffix list, such as `example.com`; an IP address as it is.
     */
    domain: string;
    /**
     * The name of the exit it left by: `direct`, or a proxy's host, port and session. Never a credential.
     */
    exit: string;
  };
}

/**
 * A job was accepted. Its debit stands in the ledger already.
 */
export interface JobRequestedV1 {
  /**
   * The organization the job belongs to.
   */
  orgId: string;
  /**
   * What kind of job this is.
   */
  kind: "transcript" | "extraction";
  /**
   * The URL as it was given, in its canonical spelling.
   */
  url: string;
  /**
   * How a transcript is made; null for an extraction.
   */
  mode: "native" | "generate" | "auto" | null;
  /**
   * Language hint, BCP 47.
   */
  lang: string | null;
  /**
   * Instruction of an extraction.
   */
  prompt: string | null;
  /**
   * JSON Schema of the result of an extraction.
   */
  schema: {} | null;
  /**
   * Credits that were debited: the most this job may cost. 0 where it reuses a result.
   */
  budget: number;
  /**
   * What the job costs in credits, by where its text comes from. Fixed when the job is accepted.
   */
  prices: {
    /**
     * Where captions are read.
     */
    captions: number;
    /**
     * Where the sound is transcribed.
     */
    speech: number;
  };
  lane: "standard" | "priority" | "bulk";
  requestHash: string;
  idempotencyKeyHash: string | null;
  /**
   * Seconds from the recorded time of this event to the deadline.
   */
  windowSeconds: number;
  /**
   * The API key by which it was asked for; null: none, as on the dashboard.
   */
  keyId: string | null;
  /**
   * By which surface it was asked for.
   */
  surface: "api" | "mcp" | "dashboard" | "batch" | "watch";
  /**
   * The webhook that is told of its end, besides those that are told of every one; null: none.
   */
  webhookId: string | null;
  /**
   * What the request asked for beyond mode and language.
   */
  options: {
    /**
     * A platform that refuses to answer fails the job at once.
     */
    failFast: boolean;
    /**
     * A text in another language than `lang` is no result.
     */
    strictLang: boolean;
    /**
     * A translation by the platform serves where the video lacks the language.
     */
    translate: boolean;
    /**
     * The transcript has the time of each word.
     */
    words: boolean;
    /**
     * The transcript tells speakers apart.
     */
    speakers: boolean;
    /**
     * Names and terms that the speech engine is to expect.
     */
    vocabulary: string | null;
  };
  /**
   * Whether the result of an earlier job would do.
   */
  reuse: boolean;
  /**
   * The job whose result this one has: its own events have a copy. Null: it makes one itself.
   */
  reused: string | null;
  /**
   * The batch that it is of; null: none.
   */
  batchId: string | null;
}

/**
 * A member has given the key another name, monthly cap or expiry.
 */
export interface KeyChangedV1 {
  /**
   * The organization the key belongs to.
   */
  orgId: string;
  /**
   * Label given by the customer.
   */
  name: string;
  /**
   * The most credits that jobs of this key may take in a calendar month (UTC); null: as many as there are.
   */
  monthlyCredits: number | null;
  /**
   * The key is refused from this instant on, milliseconds since 1970; null: never.
   */
  expiresAt: number | null;
}

/**
 * An API key exists. The secret itself is never stored.
 */
export interface KeyCreatedV1 {
  /**
   * The organization the key belongs to.
   */
  orgId: string;
  /**
   * Label given by the customer.
   */
  name: string;
  /**
   * SHA-256 of the secret, in hexadecimal.
   */
  sha256: string;
  /**
   * First seven characters of the secret.
   */
  prefix: string;
  /**
   * Last four characters of the secret.
   */
  suffix: string;
  /**
   * What the key may be used for; null: everything.
   *
   * @minItems 1
   */
  scopes: ["read" | "jobs" | "keys" | "webhooks", ...("read" | "jobs" | "keys" | "webhooks")[]] | null;
  /**
   * The most credits that jobs of this key may take in a calendar month (UTC); null: as many as there are.
   */
  monthlyCredits: number | null;
  /**
   * The key is refused from this instant on, milliseconds since 1970; null: never.
   */
  expiresAt: number | null;
  /**
   * The key that made it; null: none, as an operator or the dashboard.
   */
  createdBy: string | null;
}

/**
 * The key is never accepted again.
 */
export interface KeyRevokedV1 {
  /**
   * The organization the job belongs to.
   */
  orgId: string;
}

/**
 * The worker is still inside its limits.
 */
export interface LeaseExtendedV1 {
  /**
   * The step of the pipeline.
   */
  step: "fetch" | "caption" | "speech-to-text" | "extract";
  /**
   * Counts the starts of this step of this job, from 1.
   */
  attempt: number;
  /**
   * Seconds from the recorded time of this event until the claim may be taken over.
   */
  leaseSeconds: number;
}

/**
 * A customer exists and has a name.
 */
export interface OrganizationRegisteredV1 {
  name: string;
}

/**
 * One of its owners has given the customer another name.
 */
export interface OrganizationRenamedV1 {
  name: string;
}

/**
 * From now on the organization has this plan.
 */
export interface PlanChangedV1 {
  /**
   * The plan of the organization.
   */
  plan: "free" | "starter" | "pro";
  /**
   * Who did it: the id of an account that signed up, or of the entry in the audit trail that an operator's act has; `command`: an operator at the shell. Never a name or an address.
   */
  by: string;
}

/**
 * What an organization has asked for that no other event tells: free reads, and requests that were refused. One process has counted it since it counted last; an hour has one such event at most.
 */
export interface RequestsCountedV1 {
  /**
   * The hour (UTC) in which it was told, such as 2026-11-27T07: a later one than that of every event before.
   */
  hour: string;
  /**
   * Free reads that were answered, by their route, such as `/v1/metadata`.
   */
  reads: {
    [k: string]: number;
  };
  /**
   * Requests that were answered by an error, by its code, such as `rate_limited`.
   */
  refused: {
    [k: string]: number;
  };
}

/**
 * What is said in the video.
 */
export interface SpeechTranscribedV1 {
  /**
   * BCP 47 tag of the language of the text; null when it is not known.
   */
  language: string | null;
  /**
   * The language that most of the sound is in, also where another was asked for; missing where the engine does not tell it.
   */
  heard?: {
    /**
     * BCP 47 tag.
     */
    language: string;
    probability: number;
  };
  /**
   * Mean confidence of the words; missing where the engine gives none.
   */
  confidence?: number;
  /**
   * Who made the text.
   */
  source: "speech";
  /**
   * The program or service that gave the text.
   */
  engine: string;
  /**
   * The model of the engine; null when it has none.
   */
  model: string | null;
  /**
   * Length of the audio in seconds; null when it is not known.
   */
  audioSeconds: number | null;
  /**
   * The transcript of an earlier job of the organization: nothing was used for it. Missing where it was made for this job.
   */
  reused?: true;
  segments: {
    /**
     * Seconds from the start of the video.
     */
    start: number;
    /**
     * Seconds from the start of the video.
     */
    end: number;
    text: string;
    speaker?: string;
  }[];
  /**
   * With their times, also where nobody asked for them: subtitles are made of them. Missing where the engine does not know them, and where the event would be too large with them.
   */
  words?: {
    start: number;
    end: number;
    text: string;
    confidence?: number;
  }[];
  /**
   * Characters of the vocabulary, from its beginning, that the engine heeded; 0: it takes none. Missing where none was given.
   */
  vocabularyHeeded?: number;
  /**
   * Where the attempt last read outside; absent where it read nothing there, as where all was cached.
   */
  readFrom?: {
    /**
     * The registrable domain by the public suffix list, such as `example.com`; an IP address as it is.
     */
    domain: string;
    /**
     * The name of the exit it left by: `direct`, or a proxy's host, port and session. Never a credential.
     */
    exit: string;
  };
}

/**
 * An attempt ended without a result; the step is due again.
 */
export interface StepFailedV1 {
  /**
   * The step of the pipeline.
   */
  step: "fetch" | "caption" | "speech-to-text" | "extract";
  /**
   * Counts the starts of this step of this job, from 1.
   */
  attempt: number;
  /**
   * A failure code, or released.
   */
  code: string;
  /**
   * Seconds from the recorded time of this event until the step is due again.
   */
  retryAfterSeconds: number;
  /**
   * What the attempt used of what the operator pays for; null where it was given back.
   */
  used: {
    /**
     * Tokens that the language model was sent and has answered.
     */
    tokens: {
      input: number;
      output: number;
    };
    /**
     * Sound that speech-to-text has transcribed, seconds.
     */
    audioSeconds: number;
  } | null;
  /**
   * Where the attempt last read outside; absent where it read nothing there, as where all was cached.
   */
  readFrom?: {
    /**
     * The registrable domain by the public suffix list, such as `example.com`; an IP address as it is.
     */
    domain: string;
    /**
     * The name of the exit it left by: `direct`, or a proxy's host, port and session. Never a credential.
     */
    exit: string;
  };
}

/**
 * A worker has claimed a step. The revision of this event is its fencing token.
 */
export interface StepStartedV1 {
  /**
   * The step of the pipeline.
   */
  step: "fetch" | "caption" | "speech-to-text" | "extract";
  /**
   * Counts the starts of this step of this job, from 1.
   */
  attempt: number;
  /**
   * Which worker, for operators.
   */
  worker: string;
  /**
   * Seconds from the recorded time of this event until the claim may be taken over.
   */
  leaseSeconds: number;
}

/**
 * These streams are to be gone for ever: whoever keeps something made of their events deletes it. Recorded before they are removed.
 */
export interface StreamsRemovedV1 {
  /**
   * Asked for by their owner, or older than events are kept.
   */
  reason: "forgotten" | "retention";
  /**
   * Names of the streams.
   *
   * @minItems 1
   * @maxItems 500
   */
  streams: [string, ...string[]];
}

/**
 * What the video is. Never a local path, never a signed URL.
 */
export interface VideoFetchedV1 {
  canonicalUrl: string;
  /**
   * How the platform was read, where there are several ways.
   */
  way?: "yt-dlp" | "innertube";
  platform: "youtube" | "tiktok" | "instagram" | "x" | "facebook" | "direct";
  metadata: {
    title: string | null;
    author: string | null;
    viewCount: number | null;
    likeCount: number | null;
    thumbnail: string | null;
    description: string | null;
    /**
     * ISO 8601.
     */
    publishedAt: string | null;
    authorId: string | null;
    authorUrl: string | null;
    commentCount: number | null;
    shareCount: number | null;
    tags: string[] | null;
  };
  durationSeconds: number | null;
  liveState: "none" | "upcoming" | "live" | "processing" | "ended";
  /**
   * Null where none is listed, but the platform may have some that it keeps from this service, or that could not be read.
   */
  captionTracks:
    | {
        /**
         * BCP 47 tag of the language of the text; null when it is not known.
         */
        language: string | null;
        source: "human" | "automatic";
        format: string;
      }[]
    | null;
  formats: {
    container: string;
    hasAudio: boolean;
    hasVideo: boolean;
    width: number | null;
    height: number | null;
    bytes: number | null;
  }[];
  /**
   * Where the attempt last read outside; absent where it read nothing there, as where all was cached.
   */
  readFrom?: {
    /**
     * The registrable domain by the public suffix list, such as `example.com`; an IP address as it is.
     */
    domain: string;
    /**
     * The name of the exit it left by: `direct`, or a proxy's host, port and session. Never a credential.
     */
    exit: string;
  };
}

/**
 * The watch looks at another pace, or its jobs may take other credits.
 */
export interface WatchChangedV1 {
  /**
   * The organization the watch belongs to.
   */
  orgId: string;
  /**
   * How often it looks, seconds.
   */
  everySeconds: number;
  /**
   * Credits that its jobs may take in a calendar month (UTC); null where it asks for no jobs.
   */
  maxCreditsPerMonth: number | null;
}

/**
 * A source is watched for new videos.
 */
export interface WatchCreatedV1 {
  /**
   * The organization the watch belongs to.
   */
  orgId: string;
  /**
   * What is watched, in canonical spelling.
   */
  source: {};
  /**
   * How often it looks, seconds.
   */
  everySeconds: number;
  /**
   * What is asked for each new video; null: nothing.
   */
  request: {
    /**
     * What kind of job this is.
     */
    kind: "transcript" | "extraction";
    /**
     * How a transcript is made; null for an extraction.
     */
    mode: "native" | "generate" | "auto" | null;
    /**
     * Language hint, BCP 47.
     */
    lang: string | null;
    /**
     * Instruction of an extraction.
     */
    prompt: string | null;
    /**
     * JSON Schema of the result of an extraction.
     */
    schema: {} | null;
    /**
     * What the request asked for beyond mode and language.
     */
    options: {
      /**
       * A platform that refuses to answer fails the job at once.
       */
      failFast: boolean;
      /**
       * A text in another language than `lang` is no result.
       */
      strictLang: boolean;
      /**
       * A translation by the platform serves where the video lacks the language.
       */
      translate: boolean;
      /**
       * The transcript has the time of each word.
       */
      words: boolean;
      /**
       * The transcript tells speakers apart.
       */
      speakers: boolean;
      /**
       * Names and terms that the speech engine is to expect.
       */
      vocabulary: string | null;
    };
  } | null;
  /**
   * Credits that its jobs may take in a calendar month (UTC); null where it asks for no jobs.
   */
  maxCreditsPerMonth: number | null;
  /**
   * How many videos of the first look count as new.
   */
  backfill: number;
  /**
   * The API key that made it; null: none.
   */
  keyId: string | null;
  /**
   * A webhook that is told of what it finds besides those that are told of every one; null: none.
   */
  webhookId: string | null;
}

/**
 * New videos have become jobs, in their order.
 */
export interface WatchJobsBegunV1 {
  /**
   * The organization the watch belongs to.
   */
  orgId: string;
  /**
   * By the numbers of the videos.
   *
   * @minItems 1
   */
  jobs: [
    {
      /**
       * Of the video.
       */
      number: number;
      /**
       * The job; null: it was refused.
       */
      jobId: string | null;
      /**
       * What was debited for it.
       */
      credits: number;
      /**
       * Why it was refused; null: it was not.
       */
      code: string | null;
    },
    ...{
      /**
       * Of the video.
       */
      number: number;
      /**
       * The job; null: it was refused.
       */
      jobId: string | null;
      /**
       * What was debited for it.
       */
      credits: number;
      /**
       * Why it was refused; null: it was not.
       */
      code: string | null;
    }[]
  ];
}

/**
 * The source was looked at. A look that brings nothing is written down once an hour at most.
 */
export interface WatchLookedV1 {
  /**
   * The organization the watch belongs to.
   */
  orgId: string;
  /**
   * Counts the looks that are written down.
   */
  look: number;
  /**
   * The webhook of the watch; null: none.
   */
  webhookId: string | null;
  /**
   * New videos, oldest first. Each has the next number of the watch.
   */
  found: {
    /**
     * By which it is known again.
     */
    id: string;
    /**
     * Its URL in canonical spelling.
     */
    url: string;
    /**
     * Its title; null where the source has none.
     */
    title: string | null;
    /**
     * When it was published, milliseconds since 1970; null in a playlist.
     */
    publishedAt: number | null;
  }[];
  /**
   * Ids of videos that were seen for the first time and are not new.
   */
  seen: string[];
  /**
   * Why the source could not be read; null: it was.
   */
  failure: string | null;
}

/**
 * The watch does not look any more, until it is resumed.
 */
export interface WatchPausedV1 {
  /**
   * The organization the watch belongs to.
   */
  orgId: string;
  /**
   * Why: somebody asked for it, the credits or its own or its key's credits of the month are used up, the source cannot be read, the key that made it has ended, or nobody of the organization was seen for 90 days.
   */
  reason: "asked" | "credits" | "cap" | "source" | "key" | "unseen";
}

/**
 * The watch was removed.
 */
export interface WatchRemovedV1 {
  /**
   * The organization the watch belongs to.
   */
  orgId: string;
}

/**
 * The watch looks again.
 */
export interface WatchResumedV1 {
  /**
   * The organization the watch belongs to.
   */
  orgId: string;
}

/**
 * The webhook has another URL, or is told of other events.
 */
export interface WebhookChangedV1 {
  /**
   * The organization the webhook belongs to.
   */
  orgId: string;
  /**
   * The host of its URL. The URL itself and the secrets lie sealed beside the accounts.
   */
  host: string;
  /**
   * What it is told of; none for a URL that single jobs name.
   */
  events: ("job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended")[];
  /**
   * Whether a small result is in the body itself.
   */
  results: boolean;
}

/**
 * An organization wants to be told of events at a URL.
 */
export interface WebhookCreatedV1 {
  /**
   * The organization the webhook belongs to.
   */
  orgId: string;
  /**
   * endpoint: told of all its events; url: of the ends of the jobs that name it (webhookUrl).
   */
  kind: "endpoint" | "url";
  /**
   * The host of its URL. The URL itself and the secrets lie sealed beside the accounts.
   */
  host: string;
  /**
   * What it is told of; none for a URL that single jobs name.
   */
  events: ("job.completed" | "job.failed" | "credits.low" | "watch.found" | "batch.ended")[];
  /**
   * Whether a small result is in the body itself.
   */
  results: boolean;
  /**
   * The API key that made it; null: none, as on the dashboard.
   */
  createdBy: string | null;
}

/**
 * The webhook is gone for its organization.
 */
export interface WebhookRemovedV1 {
  /**
   * The organization the webhook belongs to.
   */
  orgId: string;
}

/**
 * What the webhook would have been told of is to be delivered again.
 */
export interface WebhookReplayAskedV1 {
  /**
   * The organization the webhook belongs to.
   */
  orgId: string;
  /**
   * Ends of jobs from this long before this event, seconds.
   */
  sinceSeconds: number;
}

/**
 * Nothing is delivered to the webhook any more.
 */
export interface WebhookSwitchedOffV1 {
  /**
   * The organization the webhook belongs to.
   */
  orgId: string;
  /**
   * asked: by its organization; gone: the receiver has answered 410; failing: a delivery's last attempt failed, and none has succeeded for four days.
   */
  reason: "asked" | "gone" | "failing";
}

/**
 * Deliveries to the webhook begin again, of what happens from now on.
 */
export interface WebhookSwitchedOnV1 {
  /**
   * The organization the webhook belongs to.
   */
  orgId: string;
}
/** The newest version of every event: what deciders, projections and processors see. */
export interface EventData {
  BatchCancelled: BatchCancelledV1
  BatchEnded: BatchEndedV1
  BatchItemsAdded: BatchItemsAddedV1
  BatchItemsBegun: BatchItemsBegunV1
  BatchItemsEnded: BatchItemsEndedV1
  BatchRequested: BatchRequestedV1
  CaptionsRead: CaptionsReadV1
  CaptionsUnavailable: CaptionsUnavailableV1
  CreditsDebited: CreditsDebitedV1
  CreditsGranted: CreditsGrantedV1
  CreditsHeld: CreditsHeldV1
  CreditsReleased: CreditsReleasedV1
  CreditsRenewed: CreditsRenewedV1
  CreditsSettled: CreditsSettledV1
  CreditsStated: CreditsStatedV1
  DeliveryAttempted: DeliveryAttemptedV1
  DeliveryEnded: DeliveryEndedV1
  DeliveryRepeated: DeliveryRepeatedV1
  DeliveryRequested: DeliveryRequestedV1
  ExtractionProduced: ExtractionProducedV1
  JobCompleted: JobCompletedV1
  JobFailed: JobFailedV1
  JobRequested: JobRequestedV1
  KeyChanged: KeyChangedV1
  KeyCreated: KeyCreatedV1
  KeyRevoked: KeyRevokedV1
  LeaseExtended: LeaseExtendedV1
  OrganizationRegistered: OrganizationRegisteredV1
  OrganizationRenamed: OrganizationRenamedV1
  PlanChanged: PlanChangedV1
  RequestsCounted: RequestsCountedV1
  SpeechTranscribed: SpeechTranscribedV1
  StepFailed: StepFailedV1
  StepStarted: StepStartedV1
  StreamsRemoved: StreamsRemovedV1
  VideoFetched: VideoFetchedV1
  WatchChanged: WatchChangedV1
  WatchCreated: WatchCreatedV1
  WatchJobsBegun: WatchJobsBegunV1
  WatchLooked: WatchLookedV1
  WatchPaused: WatchPausedV1
  WatchRemoved: WatchRemovedV1
  WatchResumed: WatchResumedV1
  WebhookChanged: WebhookChangedV1
  WebhookCreated: WebhookCreatedV1
  WebhookRemoved: WebhookRemovedV1
  WebhookReplayAsked: WebhookReplayAskedV1
  WebhookSwitchedOff: WebhookSwitchedOffV1
  WebhookSwitchedOn: WebhookSwitchedOnV1
}
export type EventType = keyof EventData
export const newestVersion: Record<EventType, number> = {
  BatchCancelled: 1,
  BatchEnded: 1,
  BatchItemsAdded: 1,
  BatchItemsBegun: 1,
  BatchItemsEnded: 1,
  BatchRequested: 1,
  CaptionsRead: 1,
  CaptionsUnavailable: 1,
  CreditsDebited: 1,
  CreditsGranted: 1,
  CreditsHeld: 1,
  CreditsReleased: 1,
  CreditsRenewed: 1,
  CreditsSettled: 1,
  CreditsStated: 1,
  DeliveryAttempted: 1,
  DeliveryEnded: 1,
  DeliveryRepeated: 1,
  DeliveryRequested: 1,
  ExtractionProduced: 1,
  JobCompleted: 1,
  JobFailed: 1,
  JobRequested: 1,
  KeyChanged: 1,
  KeyCreated: 1,
  KeyRevoked: 1,
  LeaseExtended: 1,
  OrganizationRegistered: 1,
  OrganizationRenamed: 1,
  PlanChanged: 1,
  RequestsCounted: 1,
  SpeechTranscribed: 1,
  StepFailed: 1,
  StepStarted: 1,
  StreamsRemoved: 1,
  VideoFetched: 1,
  WatchChanged: 1,
  WatchCreated: 1,
  WatchJobsBegun: 1,
  WatchLooked: 1,
  WatchPaused: 1,
  WatchRemoved: 1,
  WatchResumed: 1,
  WebhookChanged: 1,
  WebhookCreated: 1,
  WebhookRemoved: 1,
  WebhookReplayAsked: 1,
  WebhookSwitchedOff: 1,
  WebhookSwitchedOn: 1,
}
