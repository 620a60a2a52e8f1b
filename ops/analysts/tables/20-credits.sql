CREATE VIEW credits AS
WITH lines AS (
  SELECT
    * EXCLUDE (data),
    -- All fields in one call, so that the JSON is parsed once.
    unnest(json_transform(data, '{
      "plan": "VARCHAR", "credits": "BIGINT", "charged": "BIGINT", "refunded": "BIGINT", "expired": "BIGINT",
      "balance": "BIGINT", "jobId": "VARCHAR", "keyId": "VARCHAR", "operation": "VARCHAR", "mode": "VARCHAR",
      "platform": "VARCHAR", "reason": "VARCHAR", "period": "VARCHAR", "by": "VARCHAR",
      "batchId": "VARCHAR", "batch": {"batchId": "VARCHAR"}
    }')),
    -- A truncated ledger begins with its CreditsStated.
    type = 'CreditsStated' AND row_number() OVER ledger = 1 AS is_opening
  FROM events
  WHERE category = 'credits'
  WINDOW ledger AS (PARTITION BY stream ORDER BY revision)
), of_batches AS (
  SELECT * REPLACE (coalesce(batchId, batch.batchId) AS batchId) FROM lines
), held AS (
  SELECT
    *,
    -- Debits from a batch's hold, and refunds into it, leave the balance unchanged: the hold took them already.
    batchId IS NOT NULL AND revision < coalesce(
      max(if(type = 'CreditsReleased', revision, NULL)) OVER (PARTITION BY stream, batchId),
      revision + 1
    ) AS is_in_hold
  FROM of_batches
), signed AS (
  SELECT
    *,
    CASE type
      WHEN 'CreditsGranted' THEN 'grant'
      WHEN 'PlanChanged' THEN 'plan'
      WHEN 'CreditsRenewed' THEN 'renewal'
      WHEN 'CreditsHeld' THEN 'hold'
      WHEN 'CreditsReleased' THEN 'release'
      WHEN 'CreditsDebited' THEN 'debit'
      WHEN 'CreditsSettled' THEN 'settlement'
      WHEN 'CreditsStated' THEN if(is_opening, 'opening', 'statement')
    END AS line,
    CASE type
      WHEN 'CreditsGranted' THEN credits
      WHEN 'CreditsRenewed' THEN credits - expired
      WHEN 'CreditsHeld' THEN -credits
      WHEN 'CreditsReleased' THEN credits
      WHEN 'CreditsDebited' THEN if(is_in_hold, 0, -credits)
      WHEN 'CreditsSettled' THEN if(is_in_hold, 0, refunded)
      WHEN 'CreditsStated' THEN if(is_opening, balance, 0)
      ELSE 0
    END AS amount
  FROM held
)
SELECT
  position,
  substr(stream, 9) AS org_id,
  revision,
  recorded_at,
  line,
  amount,
  sum(amount) OVER ledger::BIGINT AS balance,
  coalesce(last_value(plan IGNORE NULLS) OVER ledger, 'free') AS plan,
  if(line IN ('grant', 'renewal'), credits, 0) AS given,
  coalesce(charged, 0) AS charged,
  coalesce(refunded, 0) AS refunded,
  coalesce(expired, 0) AS expired,
  jobId AS job_id,
  batchId AS batch_id,
  keyId AS key_id,
  operation,
  mode,
  platform,
  reason,
  "by" AS done_by,
  nullif(period, '') AS period
FROM signed
WINDOW ledger AS (PARTITION BY stream ORDER BY revision);
