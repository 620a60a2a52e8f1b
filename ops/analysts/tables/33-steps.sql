-- One row for each step of a job, over all its attempts.
CREATE VIEW steps AS
SELECT
  job_id,
  any_value(org_id) AS org_id,
  step,
  count(*) AS attempts,
  min(started_at) AS started_at,
  if(bool_or(ended_at IS NULL), NULL, max(ended_at)) AS ended_at,
  sum(waited_seconds) AS waited_seconds,
  sum(down_seconds) AS down_seconds,
  sum(paused_seconds) AS paused_seconds,
  sum(worked_seconds) AS worked_seconds,
  sum(lost_seconds) AS lost_seconds,
  count(*) FILTER (outcome = 'failed') AS failures,
  count(*) FILTER (outcome = 'lost') AS lost_workers,
  max_by(outcome, attempt) AS outcome,
  nullif(max_by(coalesce(code, ''), attempt), '') AS code,
  nullif(max_by(coalesce(result, ''), attempt), '') AS result,
  sum(audio_seconds) AS audio_seconds,
  sum(input_tokens)::BIGINT AS input_tokens,
  sum(output_tokens)::BIGINT AS output_tokens
FROM attempts
GROUP BY job_id, step;
