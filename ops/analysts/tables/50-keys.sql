CREATE VIEW keys AS
SELECT
  substr(stream, 5) AS key_id,
  any_value(org_id) AS org_id,
  max_by(nullif(data ->> 'name', ''), revision) FILTER (type IN ('KeyCreated', 'KeyChanged')) AS name,
  any_value((data -> 'scopes')::VARCHAR[]) FILTER (type = 'KeyCreated') AS scopes,
  (max_by({n: (data ->> 'monthlyCredits')::BIGINT}, revision) FILTER (type IN ('KeyCreated', 'KeyChanged'))).n AS monthly_credits,
  any_value(data ->> 'createdBy') FILTER (type = 'KeyCreated') AS created_by,
  any_value(recorded_at) FILTER (type = 'KeyCreated') AS created_at,
  (max_by({n: make_timestamp_ms((data ->> 'expiresAt')::BIGINT)}, revision) FILTER (type IN ('KeyCreated', 'KeyChanged'))).n AS expires_at,
  min(recorded_at) FILTER (type = 'KeyRevoked') AS revoked_at
FROM events
WHERE category = 'key'
GROUP BY stream;
