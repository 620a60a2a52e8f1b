CREATE VIEW customers AS
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
