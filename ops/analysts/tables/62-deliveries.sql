-- Notifications of webhooks, one row for each delivery.
CREATE VIEW deliveries AS
SELECT
  replace(stream, 'delivery-', '') AS delivery_id,
  any_value(org_id) AS org_id,
  any_value(data ->> '$.webhookId') FILTER (type = 'DeliveryRequested') AS webhook_id,
  any_value(data ->> '$.type') FILTER (type = 'DeliveryRequested') AS tells_of,
  any_value(data ->> '$.jobId') FILTER (type = 'DeliveryRequested') AS job_id,
  any_value(data ->> '$.batchId') FILTER (type = 'DeliveryRequested') AS batch_id,
  any_value(data ->> '$.watch.watchId') FILTER (type = 'DeliveryRequested') AS watch_id,
  min(recorded_at) FILTER (type = 'DeliveryRequested') AS requested_at,
  count(*) FILTER (type = 'DeliveryAttempted') AS attempts,
  count(*) FILTER (type = 'DeliveryRepeated') AS repeats,
  -- As lists, because max_by skips NULL.
  max_by([data ->> '$.status'], revision) FILTER (type = 'DeliveryAttempted')[1]::INTEGER AS last_status,
  max_by([data ->> '$.failure'], revision) FILTER (type = 'DeliveryAttempted')[1] AS last_failure,
  sum((data ->> '$.milliseconds')::BIGINT) FILTER (type = 'DeliveryAttempted')::BIGINT AS milliseconds,
  CASE arg_max(type, revision) WHEN 'DeliveryEnded' THEN max(recorded_at) END AS ended_at,
  CASE arg_max(type, revision) WHEN 'DeliveryEnded' THEN arg_max(data ->> '$.outcome', revision) END AS outcome
FROM events
WHERE category = 'delivery'
GROUP BY stream;
