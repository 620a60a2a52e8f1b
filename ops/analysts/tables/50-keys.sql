CREATE VIEW keys AS
SELECT
  substr(stream, 5) AS key_id,
  any_value(org_id) AS org_id,
  any_value(nullif(data ->> 'name', '')) FILTER (type = 'KeyCreated') AS name,
  any_value((data -> 'scopes')::VARCHAR[]) FILTER (type = 'KeyCreated') AS scopes,
  any_value((data ->> 'monthlyCredits')::BIGINT) FILTER (type = 'KeyCreated') AS monthly_credits,
  any_value(data ->> 'createdBy') FILTER (type = 'KeyCreated') AS created_by,
  any_value(recorded_at) FILTER (type = 'KeyCreated') AS created_at,
  any_value(make_timestamp_ms((data ->> 'expiresAt')::BIGINT)) FILTER (type = 'KeyCreated') AS expires_at,
  min(recorded_at) FILTER (type = 'KeyRevoked') AS revoked_at
FROM events
WHERE category = 'key'
GROUP BY stream;
