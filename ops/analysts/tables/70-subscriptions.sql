-- The subscription of a customer's month: its most expensive plan in that month, up to the month of the last event.
CREATE VIEW subscriptions AS
WITH spans AS (
  SELECT
    org_id,
    plan,
    recorded_at AS began,
    lead(recorded_at) OVER (PARTITION BY org_id ORDER BY revision) AS ended
  FROM credits
  WHERE line IN ('plan', 'opening')
), months AS (
  SELECT org_id, month_of(month) AS month, usd_a_month AS usd, plan
  FROM spans
  JOIN plans USING (plan),
  unnest(generate_series(
    date_trunc('month', began),
    coalesce(ended, (SELECT max(recorded_at) FROM events)),
    INTERVAL 1 MONTH
  )) AS month_begins (month)
  WHERE usd > 0
)
SELECT org_id, month, max_by(plan, usd) AS plan, max(usd) AS usd
FROM months
GROUP BY org_id, month;
