-- Requests of organizations other than jobs, by hour.
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
