-- The events of watches, with the queried fields.
CREATE VIEW beneath.watch_events AS
SELECT substr(stream, 7) AS watch_id, org_id, type, recorded_at, revision, json_transform(data, '{
  "everySeconds": "BIGINT", "maxCreditsPerMonth": "BIGINT", "backfill": "BIGINT", "keyId": "VARCHAR",
  "webhookId": "VARCHAR", "request": {"kind": "VARCHAR", "mode": "VARCHAR", "lang": "VARCHAR", "prompt": "VARCHAR"},
  "look": "BIGINT", "failure": "VARCHAR", "reason": "VARCHAR",
  "found": [{"id": "VARCHAR", "url": "VARCHAR", "title": "VARCHAR", "publishedAt": "BIGINT"}],
  "jobs": [{"number": "BIGINT", "jobId": "VARCHAR", "credits": "BIGINT", "code": "VARCHAR"}]
}') AS data
FROM events
WHERE category = 'watch';

-- One row for each watch.
CREATE VIEW watches AS
WITH folded AS (
  SELECT
    watch_id,
    any_value(org_id) AS org_id,
    any_value(data) FILTER (type = 'WatchCreated') AS made,
    max_by(data, revision) FILTER (type IN ('WatchCreated', 'WatchChanged')) AS terms,
    min(recorded_at) FILTER (type = 'WatchCreated') AS created_at,
    max(recorded_at) FILTER (type = 'WatchLooked') AS looked_at,
    max(data.look) AS looks,
    count(*) FILTER (type = 'WatchLooked' AND data.failure IS NOT NULL) AS failures,
    sum(len(data.found))::BIGINT AS found,
    max_by(type, revision) FILTER (type IN ('WatchCreated', 'WatchPaused', 'WatchResumed')) = 'WatchPaused' AS is_paused,
    max_by(data.reason, revision) FILTER (type = 'WatchPaused') AS last_reason,
    max(recorded_at) FILTER (type = 'WatchRemoved') AS removed_at
  FROM beneath.watch_events
  GROUP BY watch_id
)
SELECT
  watch_id,
  org_id,
  made.keyId AS key_id,
  made.webhookId AS webhook_id,
  made.request.kind,
  made.request.mode,
  made.request.lang,
  made.request.prompt,
  terms.everySeconds AS every_seconds,
  terms.maxCreditsPerMonth AS max_credits_per_month,
  made.backfill,
  created_at,
  looked_at,
  looks,
  failures,
  coalesce(found, 0) AS found,
  coalesce(is_paused, false) AS is_paused,
  if(is_paused, last_reason, NULL) AS paused_because,
  removed_at
FROM folded;

-- One row for each video that a watch has found.
CREATE VIEW watch_videos AS
WITH found AS (
  SELECT watch_id, org_id, recorded_at, revision, unnest(data.found) AS video, generate_subscripts(data.found, 1) AS place
  FROM beneath.watch_events
  WHERE type = 'WatchLooked'
), numbered AS (
  SELECT *, row_number() OVER (PARTITION BY watch_id ORDER BY revision, place) AS number FROM found
), asked AS (
  SELECT watch_id, unnest(data.jobs) AS job FROM beneath.watch_events WHERE type = 'WatchJobsBegun'
)
SELECT
  numbered.watch_id,
  org_id,
  number,
  video.id AS video_id,
  video.url,
  nullif(video.title, '') AS title,
  make_timestamp_ms(video.publishedAt) AS published_at,
  recorded_at AS found_at,
  job.jobId AS job_id,
  job.credits,
  job.code
FROM numbered
LEFT JOIN asked ON asked.watch_id = numbered.watch_id AND asked.job.number = numbered.number;
