CREATE VIEW attempts AS
SELECT
  job_id,
  org_id,
  step,
  attempt,
  worker,
  recorded_at AS started_at,
  after.recorded_at AS ended_at,
  waited_seconds,
  down_seconds,
  paused_seconds,
  worked_seconds,
  lost_seconds,
  CASE
    WHEN after IS NULL THEN 'at work'
    WHEN is_lost THEN 'lost'
    WHEN after.type = 'StepFailed' THEN if(after.code = 'released', 'released', 'failed')
    WHEN after.type <> 'JobFailed' THEN 'result'
    WHEN after.code IN ('cancelled', 'timeout') THEN 'cut'
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
