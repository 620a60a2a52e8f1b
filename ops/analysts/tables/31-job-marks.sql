-- Each event of a job with the events before and after it, without extensions of leases.
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
      -- The last message of the worker before this event: that it works, and until when.
      sign_at: last_value(if(data.leaseSeconds IS NULL, NULL, recorded_at) IGNORE NULLS) OVER earlier,
      lease_ends_at: last_value(
        recorded_at + to_milliseconds((data.leaseSeconds * 1000)::BIGINT) IGNORE NULLS
      ) OVER earlier,
      audio_seconds: if(type = 'SpeechTranscribed', data.audioSeconds, data.used.audioSeconds),
      input_tokens: coalesce(data.tokens.input, data.used.tokens.input),
      output_tokens: coalesce(data.tokens.output, data.used.tokens.output),
      read_from: data.readFrom
    } AS mark,
    last_value(
      recorded_at + to_milliseconds((data.leaseSeconds * 1000)::BIGINT) IGNORE NULLS
    ) OVER whole AS last_lease_ends_at
  FROM beneath.job_events
  WINDOW
    earlier AS (PARTITION BY job_id ORDER BY revision ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    whole AS (PARTITION BY job_id ORDER BY revision ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
), placed AS (
  SELECT *, lag(mark) OVER job AS before, lead(mark) OVER job AS after
  FROM timed
  WHERE type <> 'LeaseExtended'
  WINDOW job AS (PARTITION BY job_id ORDER BY revision)
), ended AS (
  SELECT
    *,
    type = 'StepStarted' AS is_attempt,
    -- Whether the attempt before this event, or the one that it begins, was lost with its worker: its lease ran out. If
    -- the job ends after that, another process than the worker has ended it.
    coalesce(before.type = 'StepStarted' AND (
      type = 'StepStarted' OR (type = 'JobFailed' AND mark.code IN ('cancelled', 'timeout', 'internal_error') AND recorded_at >= mark.lease_ends_at)
    ), false) AS is_after_lost,
    coalesce(is_attempt AND (
      after.type = 'StepStarted' OR (after.type = 'JobFailed' AND after.code IN ('cancelled', 'timeout', 'internal_error') AND after.recorded_at >= after.lease_ends_at)
    ), false) AS is_lost,
    -- A job without a worker waits until an attempt begins or the job ends.
    CASE
      WHEN type NOT IN ('StepStarted', 'JobCompleted', 'JobFailed') OR before IS NULL THEN recorded_at
      WHEN is_after_lost THEN least(mark.lease_ends_at, recorded_at)
      WHEN before.type = 'StepStarted' THEN recorded_at
      ELSE before.recorded_at
    END AS idle_from,
    greatest(0, seconds_between(idle_from, recorded_at)) AS idle_seconds,
    least(idle_seconds, greatest(0, coalesce(before.pause, 0))) AS paused_seconds,
    idle_from + to_milliseconds((paused_seconds * 1000)::BIGINT) AS due_at,
    -- When the last worker stopped, as far as known.
    CASE
      WHEN NOT is_attempt THEN NULL
      WHEN is_lost THEN after.sign_at
      WHEN after IS NULL THEN NULL
      ELSE after.recorded_at
    END AS worked_until
  FROM placed
), marks AS MATERIALIZED (
  FROM ended
), spans AS (
  -- When workers were working: on each step, and on any step.
  SELECT unnest([step, 'end']) AS step, recorded_at AS began, coalesce(worked_until, last_lease_ends_at) AS ended
  FROM marks
  WHERE is_attempt
), placed_spans AS (
  SELECT step, began, max(ended) OVER (PARTITION BY step ORDER BY began ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free_from
  FROM spans
), pauses AS (
  SELECT step, coalesce(free_from, (SELECT min(recorded_at) FROM marks)) AS began, began AS ended FROM placed_spans
  UNION ALL
  SELECT step, max(ended), (SELECT max(recorded_at) FROM marks) FROM spans GROUP BY step
), without_work AS (
  FROM pauses WHERE seconds_between(began, ended) > 10
), down AS (
  -- A free worker takes a step within a second or two. So if none worked for longer, none was running.
  SELECT
    job_id,
    revision,
    sum(seconds_between(greatest(due_at, without_work.began), least(recorded_at, without_work.ended))) AS seconds
  FROM marks
  JOIN without_work
    ON without_work.step = coalesce(marks.step, 'end')
    AND without_work.began < recorded_at
    AND without_work.ended > due_at
  WHERE seconds_between(due_at, recorded_at) > 10
    AND seconds_between(greatest(due_at, without_work.began), least(recorded_at, without_work.ended)) > 10
  GROUP BY job_id, revision
)
SELECT
  marks.* EXCLUDE (mark),
  coalesce(down.seconds, 0) AS down_seconds,
  idle_seconds - paused_seconds - down_seconds AS waited_seconds,
  if(is_attempt, greatest(0, seconds_between(recorded_at, worked_until)), NULL) AS worked_seconds,
  CASE
    WHEN NOT is_attempt THEN NULL
    WHEN is_lost THEN greatest(0, seconds_between(worked_until, least(after.lease_ends_at, after.recorded_at)))
    ELSE 0
  END AS lost_seconds,
  -- The next event describes the attempt; a lost attempt has no description.
  if(is_attempt, after.audio_seconds, NULL) AS audio_seconds,
  if(is_attempt, after.input_tokens, NULL) AS input_tokens,
  if(is_attempt, after.output_tokens, NULL) AS output_tokens,
  if(is_attempt, after.read_from, NULL) AS read_from
FROM marks
LEFT JOIN down USING (job_id, revision);
