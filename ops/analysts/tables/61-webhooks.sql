-- The webhooks and what they are notified of.
CREATE VIEW webhooks AS
WITH told AS (
  SELECT substr(stream, 9) AS webhook_id, org_id, type, recorded_at, revision, json_transform(data, '{
    "kind": "VARCHAR", "host": "VARCHAR", "events": ["VARCHAR"], "results": "BOOLEAN", "createdBy": "VARCHAR",
    "reason": "VARCHAR"
  }') AS data
  FROM events
  WHERE category = 'webhook'
)
SELECT
  webhook_id,
  any_value(org_id) AS org_id,
  any_value(data.kind) FILTER (type = 'WebhookCreated') AS kind,
  max_by(nullif(data.host, ''), revision) FILTER (type IN ('WebhookCreated', 'WebhookChanged')) AS host,
  max_by(data.events, revision) FILTER (type IN ('WebhookCreated', 'WebhookChanged')) AS tells_of,
  max_by(data.results, revision) FILTER (type IN ('WebhookCreated', 'WebhookChanged')) AS with_results,
  any_value(data.createdBy) FILTER (type = 'WebhookCreated') AS created_by,
  min(recorded_at) FILTER (type = 'WebhookCreated') AS created_at,
  max_by(type, revision) FILTER (type LIKE 'WebhookSwitched%') IS NOT DISTINCT FROM 'WebhookSwitchedOff' AS is_off,
  if(is_off, max_by(data.reason, revision) FILTER (type = 'WebhookSwitchedOff'), NULL) AS off_because,
  count(*) FILTER (type = 'WebhookReplayAsked') AS replays,
  max(recorded_at) FILTER (type = 'WebhookRemoved') AS removed_at
FROM told
GROUP BY webhook_id;
