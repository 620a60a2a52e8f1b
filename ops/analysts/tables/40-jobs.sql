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
    any_value(data) FILTER (type = 'CaptionsUnavailable') AS without_captions,
    any_value(type) FILTER (type IN ('CaptionsRead', 'SpeechTranscribed')) AS text_by,
    any_value(data) FILTER (type IN ('CaptionsRead', 'SpeechTranscribed')) AS text,
    any_value(data) FILTER (type = 'ExtractionProduced') AS extraction
  FROM beneath.job_facts
  GROUP BY job_id
), spent AS (
  SELECT
    job_id,
    count(*) FILTER (is_attempt) AS attempts,
    count(*) FILTER (is_attempt AND after.code = 'platform_blocked') AS refusals,
    sum(waited_seconds) AS waited_seconds,
    sum(down_seconds) AS down_seconds,
    sum(paused_seconds) AS paused_seconds,
    max_by(coalesce(step, 'end'), idle_seconds) FILTER (idle_seconds > 0) AS longest_wait_for,
    coalesce(sum(worked_seconds), 0) AS worked_seconds,
    coalesce(sum(lost_seconds), 0) AS lost_seconds,
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
  request.batchId AS batch_id,
  request.webhookId AS webhook_id,
  coalesce(request.kind, ending.kind) AS kind,
  coalesce(request.mode, paid.mode) AS mode,
  coalesce(paid.platform, video.platform) AS platform,
  request.url,
  nullif(regexp_extract(request.url, '^https?://([^/?#:]+)', 1), '') AS host,
  request.lang,
  request.prompt,
  request.reuse AS reuse_would_do,
  request.options.failFast AS fail_fast,
  request.options.strictLang AS strict_lang,
  request.options.translate,
  request.options.words,
  request.options.speakers,
  request.options.vocabulary,
  request.lane,
  paid.plan,
  request.windowSeconds AS window_seconds,
  debited_at,
  requested_at,
  ended_at,
  settled_at,
  CASE ended_by WHEN 'JobCompleted' THEN 'completed' WHEN 'JobFailed' THEN 'failed' ELSE 'open' END AS status,
  if(ended_by = 'JobFailed', ending.code, NULL) AS code,
  if(ended_by = 'JobFailed', nullif(ending.message, ''), NULL) AS message,
  CASE text_by WHEN 'CaptionsRead' THEN 'captions' WHEN 'SpeechTranscribed' THEN 'speech' END AS text_from,
  text.language,
  text.source AS text_source,
  text.engine,
  coalesce(extraction.model, text.model) AS model,
  text.confidence,
  text.vocabularyHeeded AS vocabulary_heeded,
  text.heard.language AS heard_language,
  text.heard.probability AS heard_probability,
  without_captions.reason AS without_captions,
  extraction.framesUsed AS frames_used,
  extraction.rounds,
  request.reused,
  video.durationSeconds AS video_seconds,
  seconds_between(requested_at, ended_at) AS seconds,
  attempts,
  refusals,
  waited_seconds,
  down_seconds,
  paused_seconds,
  longest_wait_for,
  worked_seconds,
  lost_seconds,
  audio_seconds,
  input_tokens,
  output_tokens,
  ending.unpaid.audioSeconds AS unpaid_audio_seconds,
  ending.unpaid.tokens.input AS unpaid_input_tokens,
  ending.unpaid.tokens.output AS unpaid_output_tokens,
  request.budget,
  request.prices.captions AS price_captions,
  request.prices.speech AS price_speech,
  debited,
  charged,
  refunded
FROM told
JOIN spent USING (job_id)
LEFT JOIN paid USING (job_id);
