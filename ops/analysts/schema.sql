-- The tables of analysts, made of the table `events` (an archive of the history). README.md beside this file tells what is
-- in them. Every view reads whole streams, in the order of revisions: clocks of processes differ, revisions do not.

-- Seconds from one instant to another.
CREATE MACRO seconds_between(began, ended) AS date_diff('millisecond', began, ended) / 1000;

-- The month (UTC) of an instant, such as 2026-01.
CREATE MACRO month_of(instant) AS strftime(instant, '%Y-%m');

CREATE VIEW plans AS
FROM (VALUES ('free', 0, 0), ('starter', 9, 500), ('pro', 29, 2000)) AS plans (plan, usd_a_month, credits_a_month);

CREATE VIEW credits AS
WITH lines AS (
  SELECT
    * EXCLUDE (data),
    -- All fields at once: JSON is read once.
    unnest(json_transform(data, '{
      "plan": "VARCHAR", "credits": "BIGINT", "charged": "BIGINT", "refunded": "BIGINT", "expired": "BIGINT",
      "balance": "BIGINT", "jobId": "VARCHAR", "keyId": "VARCHAR", "operation": "VARCHAR", "mode": "VARCHAR",
      "platform": "VARCHAR", "reason": "VARCHAR", "period": "VARCHAR", "by": "VARCHAR",
      "batchId": "VARCHAR", "batch": {"batchId": "VARCHAR"}
    }')),
    -- A ledger of which older events were given up begins with what it stated.
    type = 'CreditsStated' AND row_number() OVER ledger = 1 AS is_opening
  FROM events
  WHERE category = 'credits'
  WINDOW ledger AS (PARTITION BY stream ORDER BY revision)
), of_batches AS (
  SELECT * REPLACE (coalesce(batchId, batch.batchId) AS batchId) FROM lines
), held AS (
  SELECT
    *,
    -- What is taken out of the hold of a batch, or returns into it, has left the balance with the hold.
    batchId IS NOT NULL AND revision < coalesce(
      max(if(type = 'CreditsReleased', revision, NULL)) OVER (PARTITION BY stream, batchId),
      revision + 1
    ) AS is_in_hold
  FROM of_batches
), signed AS (
  SELECT
    *,
    CASE type
      WHEN 'CreditsGranted' THEN 'grant'
      WHEN 'PlanChanged' THEN 'plan'
      WHEN 'CreditsRenewed' THEN 'renewal'
      WHEN 'CreditsHeld' THEN 'hold'
      WHEN 'CreditsReleased' THEN 'release'
      WHEN 'CreditsDebited' THEN 'debit'
      WHEN 'CreditsSettled' THEN 'settlement'
      WHEN 'CreditsStated' THEN if(is_opening, 'opening', 'statement')
    END AS line,
    CASE type
      WHEN 'CreditsGranted' THEN credits
      WHEN 'CreditsRenewed' THEN credits - expired
      WHEN 'CreditsHeld' THEN -credits
      WHEN 'CreditsReleased' THEN credits
      WHEN 'CreditsDebited' THEN if(is_in_hold, 0, -credits)
      WHEN 'CreditsSettled' THEN if(is_in_hold, 0, refunded)
      WHEN 'CreditsStated' THEN if(is_opening, balance, 0)
      ELSE 0
    END AS amount
  FROM held
)
SELECT
  position,
  substr(stream, 9) AS org_id,
  revision,
  recorded_at,
  line,
  amount,
  sum(amount) OVER ledger::BIGINT AS balance,
  coalesce(last_value(plan IGNORE NULLS) OVER ledger, 'free') AS plan,
  if(line IN ('grant', 'renewal'), credits, 0) AS given,
  coalesce(charged, 0) AS charged,
  coalesce(refunded, 0) AS refunded,
  coalesce(expired, 0) AS expired,
  jobId AS job_id,
  batchId AS batch_id,
  keyId AS key_id,
  operation,
  mode,
  platform,
  reason,
  "by" AS done_by,
  nullif(period, '') AS period
FROM signed
WINDOW ledger AS (PARTITION BY stream ORDER BY revision);

-- What the views beside it are made of; not for questions.
CREATE SCHEMA beneath;

-- The events of jobs, with what is asked of their data.
CREATE VIEW beneath.job_events AS
SELECT
  substr(stream, 5) AS job_id,
  revision,
  org_id,
  type,
  recorded_at,
  json_transform(data, '{
    "step": "VARCHAR", "attempt": "INTEGER", "worker": "VARCHAR", "leaseSeconds": "DOUBLE",
    "retryAfterSeconds": "DOUBLE", "code": "VARCHAR", "audioSeconds": "DOUBLE",
    "tokens": {"input": "BIGINT", "output": "BIGINT"},
    "used": {"tokens": {"input": "BIGINT", "output": "BIGINT"}, "audioSeconds": "DOUBLE"},
    "kind": "VARCHAR", "mode": "VARCHAR", "url": "VARCHAR", "lang": "VARCHAR", "lane": "VARCHAR",
    "keyId": "VARCHAR", "surface": "VARCHAR", "windowSeconds": "DOUBLE", "platform": "VARCHAR",
    "durationSeconds": "DOUBLE", "language": "VARCHAR", "reused": "VARCHAR",
    "readFrom": {"domain": "VARCHAR", "exit": "VARCHAR"}
  }') AS data
FROM events
WHERE category = 'job';

-- Each event of a job with the one before it and the one after it, extensions of leases left out.
CREATE VIEW beneath.job_marks AS
WITH timed AS (
  SELECT
    job_id,
    revision,
    org_id,
    type,
    recorded_at,
    data.step,
    data.attempt,
    data.worker,
    {
      type: type,
      recorded_at: recorded_at,
      code: data.code,
      pause: data.retryAfterSeconds,
      lease_ends_at: last_value(
        recorded_at + to_milliseconds((data.leaseSeconds * 1000)::BIGINT) IGNORE NULLS
      ) OVER job,
      audio_seconds: if(type = 'SpeechTranscribed', data.audioSeconds, data.used.audioSeconds),
      input_tokens: coalesce(data.tokens.input, data.used.tokens.input),
      output_tokens: coalesce(data.tokens.output, data.used.tokens.output),
      read_from: data.readFrom
    } AS mark
  FROM beneath.job_events
  WINDOW job AS (PARTITION BY job_id ORDER BY revision)
), placed AS (
  SELECT * EXCLUDE (mark), lag(mark) OVER job AS before, lead(mark) OVER job AS after
  FROM timed
  WHERE type <> 'LeaseExtended'
  WINDOW job AS (PARTITION BY job_id ORDER BY revision)
)
SELECT
  *,
  type = 'StepStarted' AS is_attempt,
  -- A job stands still until an attempt begins or the job ends, where no attempt is at work. An attempt whose worker was
  -- lost ends as the next one begins.
  CASE
    WHEN type NOT IN ('StepStarted', 'JobCompleted', 'JobFailed') OR before IS NULL OR before.type = 'StepStarted' THEN 0
    ELSE greatest(0, seconds_between(before.recorded_at, recorded_at))
  END AS idle_seconds,
  least(idle_seconds, greatest(0, coalesce(before.pause, 0))) AS paused_seconds,
  idle_seconds - paused_seconds AS waited_seconds,
  if(is_attempt, greatest(0, seconds_between(recorded_at, after.recorded_at)), NULL) AS worked_seconds,
  -- What the event after an attempt tells of it; a lost one tells nothing.
  if(is_attempt, after.audio_seconds, NULL) AS audio_seconds,
  if(is_attempt, after.input_tokens, NULL) AS input_tokens,
  if(is_attempt, after.output_tokens, NULL) AS output_tokens,
  if(is_attempt, after.read_from, NULL) AS read_from
FROM placed;

CREATE VIEW steps AS
SELECT
  job_id,
  org_id,
  step,
  attempt,
  worker,
  recorded_at AS started_at,
  after.recorded_at AS ended_at,
  waited_seconds,
  paused_seconds,
  worked_seconds,
  CASE
    WHEN after IS NULL THEN 'at work'
    WHEN after.type = 'StepStarted' THEN 'lost'
    WHEN after.type = 'StepFailed' THEN if(after.code = 'released', 'released', 'failed')
    WHEN after.type <> 'JobFailed' THEN 'result'
    WHEN after.code IN ('cancelled', 'timeout') THEN 'cut'
    WHEN after.code = 'internal_error' AND after.recorded_at >= after.lease_ends_at THEN 'cut'
    ELSE 'failed'
  END AS outcome,
  if(outcome IN ('failed', 'cut'), after.code, NULL) AS code,
  if(outcome = 'result', after.type, NULL) AS result,
  after.type IS NOT DISTINCT FROM 'JobFailed' AS failed_job,
  audio_seconds,
  input_tokens,
  output_tokens,
  nullif(read_from.domain, '') AS domain,
  nullif(read_from.exit, '') AS exit
FROM beneath.job_marks
WHERE is_attempt;

CREATE VIEW jobs AS
WITH told AS (
  SELECT
    job_id,
    any_value(org_id) AS org_id,
    any_value(recorded_at) FILTER (type = 'JobRequested') AS requested_at,
    any_value(data) FILTER (type = 'JobRequested') AS request,
    min(recorded_at) FILTER (type IN ('JobCompleted', 'JobFailed')) AS ended_at,
    any_value(data) FILTER (type IN ('JobCompleted', 'JobFailed')) AS ending,
    any_value(type) FILTER (type IN ('JobCompleted', 'JobFailed')) AS ended_by,
    any_value(data) FILTER (type = 'VideoFetched') AS video,
    any_value(type) FILTER (type IN ('CaptionsRead', 'SpeechTranscribed')) AS text_by,
    any_value(data.language) FILTER (type IN ('CaptionsRead', 'SpeechTranscribed')) AS language
  FROM beneath.job_events
  WHERE type IN ('JobRequested', 'VideoFetched', 'CaptionsRead', 'SpeechTranscribed', 'JobCompleted', 'JobFailed')
  GROUP BY job_id
), spent AS (
  SELECT
    job_id,
    count(*) FILTER (is_attempt) AS attempts,
    sum(waited_seconds) AS waited_seconds,
    sum(paused_seconds) AS paused_seconds,
    max_by(coalesce(step, 'end'), idle_seconds) FILTER (idle_seconds > 0) AS longest_wait_for,
    coalesce(sum(worked_seconds), 0) AS worked_seconds,
    sum(audio_seconds) AS audio_seconds,
    sum(input_tokens)::BIGINT AS input_tokens,
    sum(output_tokens)::BIGINT AS output_tokens
  FROM beneath.job_marks
  GROUP BY job_id
), paid AS (
  SELECT
    job_id,
    any_value(platform) AS platform,
    any_value(key_id) AS key_id,
    any_value(mode) AS mode,
    any_value(plan) FILTER (line = 'debit') AS plan,
    any_value(recorded_at) FILTER (line = 'debit') AS debited_at,
    any_value(-amount) FILTER (line = 'debit') AS debited,
    any_value(recorded_at) FILTER (line = 'settlement') AS settled_at,
    any_value(charged) FILTER (line = 'settlement') AS charged,
    any_value(refunded) FILTER (line = 'settlement') AS refunded
  FROM credits
  WHERE line IN ('debit', 'settlement')
  GROUP BY job_id
)
SELECT
  job_id,
  told.org_id,
  coalesce(request.keyId, paid.key_id) AS key_id,
  request.surface,
  coalesce(request.kind, ending.kind) AS kind,
  coalesce(request.mode, paid.mode) AS mode,
  coalesce(paid.platform, video.platform) AS platform,
  request.url,
  request.lang,
  request.lane,
  paid.plan,
  request.windowSeconds AS window_seconds,
  debited_at,
  requested_at,
  ended_at,
  settled_at,
  CASE ended_by WHEN 'JobCompleted' THEN 'completed' WHEN 'JobFailed' THEN 'failed' ELSE 'open' END AS status,
  if(ended_by = 'JobFailed', ending.code, NULL) AS code,
  CASE text_by WHEN 'CaptionsRead' THEN 'captions' WHEN 'SpeechTranscribed' THEN 'speech' END AS text_from,
  language,
  request.reused,
  video.durationSeconds AS video_seconds,
  seconds_between(requested_at, ended_at) AS seconds,
  attempts,
  waited_seconds,
  paused_seconds,
  longest_wait_for,
  worked_seconds,
  audio_seconds,
  input_tokens,
  output_tokens,
  debited,
  charged,
  refunded
FROM told
JOIN spent USING (job_id)
LEFT JOIN paid USING (job_id);

CREATE VIEW keys AS
SELECT
  substr(stream, 5) AS key_id,
  any_value(org_id) AS org_id,
  max_by(nullif(data ->> 'name', ''), revision) FILTER (type IN ('KeyCreated', 'KeyChanged')) AS name,
  any_value((data -> 'scopes')::VARCHAR[]) FILTER (type = 'KeyCreated') AS scopes,
  (max_by({n: (data ->> 'monthlyCredits')::BIGINT}, revision) FILTER (type IN ('KeyCreated', 'KeyChanged'))).n AS monthly_credits,
  any_value(data ->> 'createdBy') FILTER (type = 'KeyCreated') AS created_by,
  any_value(recorded_at) FILTER (type = 'KeyCreated') AS created_at,
  (max_by({n: make_timestamp_ms((data ->> 'expiresAt')::BIGINT)}, revision) FILTER (type IN ('KeyCreated', 'KeyChanged'))).n AS expires_at,
  min(recorded_at) FILTER (type = 'KeyRevoked') AS revoked_at
FROM events
WHERE category = 'key'
GROUP BY stream;

CREATE VIEW organizations AS
WITH registered AS (
  SELECT substr(stream, 14) AS org_id, max_by(nullif(data ->> 'name', ''), revision) AS name, min(recorded_at) AS first_at
  FROM events
  WHERE category = 'organization'
  GROUP BY stream
), ledgers AS (
  SELECT
    org_id,
    min(recorded_at) AS first_at,
    max_by(plan, revision) AS plan,
    max_by(balance, revision) AS balance,
    sum(charged)::BIGINT AS charged
  FROM credits
  GROUP BY org_id
)
SELECT
  org_id,
  name,
  coalesce(registered.first_at, ledgers.first_at) AS registered_at,
  coalesce(plan, 'free') AS plan,
  coalesce(balance, 0) AS balance,
  coalesce(charged, 0) AS charged
FROM registered
FULL JOIN ledgers USING (org_id);

-- What organizations have asked for beside their jobs, hour by hour.
CREATE VIEW requests AS
WITH counted AS (
  SELECT org_id, json_transform(data, '{
    "hour": "VARCHAR", "reads": "MAP(VARCHAR, BIGINT)", "refused": "MAP(VARCHAR, BIGINT)"
  }') AS data
  FROM events
  WHERE category = 'requests'
), each AS (
  SELECT org_id, data.hour, false AS refused, unnest(map_entries(data.reads)) AS entry FROM counted
  UNION ALL
  SELECT org_id, data.hour, true, unnest(map_entries(data.refused)) FROM counted
)
SELECT
  org_id,
  strptime(hour, '%Y-%m-%dT%H') AS hour,
  refused,
  entry.key AS what,
  entry.value AS requests
FROM each;

-- What webhooks were told, one row for each delivery.
CREATE VIEW deliveries AS
SELECT
  replace(stream, 'delivery-', '') AS delivery_id,
  any_value(org_id) AS org_id,
  any_value(data ->> '$.webhookId') FILTER (type = 'DeliveryRequested') AS webhook_id,
  any_value(data ->> '$.type') FILTER (type = 'DeliveryRequested') AS tells_of,
  any_value(data ->> '$.jobId') FILTER (type = 'DeliveryRequested') AS job_id,
  min(recorded_at) FILTER (type = 'DeliveryRequested') AS requested_at,
  count(*) FILTER (type = 'DeliveryAttempted') AS attempts,
  count(*) FILTER (type = 'DeliveryRepeated') AS repeats,
  CASE arg_max(type, revision) WHEN 'DeliveryEnded' THEN max(recorded_at) END AS ended_at,
  CASE arg_max(type, revision) WHEN 'DeliveryEnded' THEN arg_max(data ->> '$.outcome', revision) END AS outcome
FROM events
WHERE category = 'delivery'
GROUP BY stream;

-- What a month of a customer earns: the dearest plan that it had in the month, up to the month of the last event.
CREATE VIEW subscriptions AS
WITH spans AS (
  SELECT
    org_id,
    plan,
    recorded_at AS began,
    lead(recorded_at) OVER (PARTITION BY org_id ORDER BY revision) AS ended
  FROM credits
  WHERE line IN ('plan', 'opening')
), months AS (
  SELECT org_id, month_of(month) AS month, usd_a_month AS usd, plan
  FROM spans
  JOIN plans USING (plan),
  unnest(generate_series(
    date_trunc('month', began),
    coalesce(ended, (SELECT max(recorded_at) FROM events)),
    INTERVAL 1 MONTH
  )) AS month_begins (month)
  WHERE usd > 0
)
SELECT org_id, month, max_by(plan, usd) AS plan, max(usd) AS usd
FROM months
GROUP BY org_id, month;
