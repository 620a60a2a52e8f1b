-- One row for each batch.
CREATE VIEW batches AS
WITH told AS (
  SELECT substr(stream, 7) AS batch_id, org_id, type, recorded_at, revision, json_transform(data, '{
    "request": {"kind": "VARCHAR", "mode": "VARCHAR", "lang": "VARCHAR", "prompt": "VARCHAR"},
    "since": "BIGINT", "limit": "BIGINT", "held": "BIGINT", "price": "BIGINT", "keyId": "VARCHAR",
    "surface": "VARCHAR", "webhookId": "VARCHAR", "tellsItems": "BOOLEAN", "skippedLines": "BIGINT",
    "items": [{"url": "VARCHAR"}], "isLast": "BOOLEAN", "reason": "VARCHAR", "by": "VARCHAR",
    "completed": "BIGINT", "failed": "BIGINT", "cancelled": "BIGINT", "charged": "BIGINT", "returned": "BIGINT"
  }') AS data, nullif(data -> 'source', 'null') AS source
  FROM events
  WHERE category = 'batch'
), folded AS (
  SELECT
    batch_id,
    any_value(org_id) AS org_id,
    any_value(recorded_at) FILTER (type = 'BatchRequested') AS requested_at,
    any_value(data) FILTER (type = 'BatchRequested') AS request,
    any_value(source) FILTER (type = 'BatchRequested') AS source,
    sum(len(data.items)) FILTER (type = 'BatchItemsAdded')::BIGINT AS items,
    any_value(recorded_at) FILTER (type = 'BatchCancelled') AS cancelled_at,
    any_value(data.by) FILTER (type = 'BatchCancelled') AS cancelled_by,
    any_value(recorded_at) FILTER (type = 'BatchEnded') AS ended_at,
    any_value(data) FILTER (type = 'BatchEnded') AS ending
  FROM told
  GROUP BY batch_id
)
SELECT
  batch_id,
  org_id,
  request.keyId AS key_id,
  request.surface,
  request.webhookId AS webhook_id,
  request.request.kind,
  request.request.mode,
  request.request.lang,
  request.request.prompt,
  source IS NOT NULL AS is_of_source,
  make_timestamp_ms(request.since) AS since,
  request.limit AS item_limit,
  request.skippedLines AS skipped_lines,
  request.tellsItems AS tells_items,
  requested_at,
  cancelled_at,
  cancelled_by,
  ended_at,
  ending.reason AS ended_because,
  coalesce(items, 0) AS items,
  ending.completed,
  ending.failed,
  ending.cancelled,
  request.price,
  request.held,
  ending.charged,
  ending.returned
FROM folded;

-- One row for each item of a batch.
CREATE VIEW batch_items AS
WITH told AS (
  SELECT substr(stream, 7) AS batch_id, org_id, type, recorded_at, revision, json_transform(data, '{
    "from": "BIGINT",
    "items": [{"url": "VARCHAR", "platform": "VARCHAR", "item": "BIGINT", "attempt": "BIGINT", "code": "VARCHAR",
      "charged": "BIGINT", "again": "DOUBLE"}]
  }') AS data
  FROM events
  WHERE category = 'batch' AND type LIKE 'BatchItems%'
), each AS (
  SELECT
    batch_id,
    org_id,
    type,
    recorded_at,
    revision,
    unnest(data.items) AS one,
    if(type = 'BatchItemsAdded', data.from + generate_subscripts(data.items, 1) - 1, NULL) AS added
  FROM told
), numbered AS (
  SELECT *, coalesce(added, one.item) AS item FROM each
)
SELECT
  batch_id,
  any_value(org_id) AS org_id,
  item,
  any_value(one.url) FILTER (type = 'BatchItemsAdded') AS url,
  any_value(one.platform) FILTER (type = 'BatchItemsAdded') AS platform,
  min(recorded_at) FILTER (type = 'BatchItemsAdded') AS added_at,
  min(recorded_at) FILTER (type = 'BatchItemsBegun') AS begun_at,
  coalesce(max(one.attempt), 0) AS jobs,
  max(recorded_at) FILTER (type = 'BatchItemsEnded' AND one.again IS NULL) AS ended_at,
  any_value(one.code) FILTER (type = 'BatchItemsEnded' AND one.again IS NULL) AS code,
  coalesce(sum(one.charged), 0)::BIGINT AS charged
FROM numbered
GROUP BY batch_id, item;
