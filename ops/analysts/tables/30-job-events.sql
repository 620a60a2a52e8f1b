-- Building blocks of the other views; not for questions.
CREATE SCHEMA beneath;

-- The events of jobs, with their data about attempts.
CREATE VIEW beneath.job_events AS
SELECT
  substr(stream, 5) AS job_id,
  revision,
  org_id,
  type,
  recorded_at,
  json_transform(data, '{
    "step": "VARCHAR", "attempt": "INTEGER", "worker": "VARCHAR", "leaseSeconds": "DOUBLE",
    "retryAfterSeconds": "DOUBLE", "code": "VARCHAR", "audioSeconds": "DOUBLE",
    "tokens": {"input": "BIGINT", "output": "BIGINT"},
    "used": {"tokens": {"input": "BIGINT", "output": "BIGINT"}, "audioSeconds": "DOUBLE"},
    "readFrom": {"domain": "VARCHAR", "exit": "VARCHAR"}
  }') AS data
FROM events
WHERE category = 'job';

-- The events with a job's request, its results, and its end.
CREATE VIEW beneath.job_facts AS
SELECT
  substr(stream, 5) AS job_id,
  org_id,
  type,
  recorded_at,
  json_transform(data, '{
    "kind": "VARCHAR", "mode": "VARCHAR", "url": "VARCHAR", "lang": "VARCHAR", "lane": "VARCHAR",
    "prompt": "VARCHAR", "budget": "BIGINT", "prices": {"captions": "BIGINT", "speech": "BIGINT"},
    "keyId": "VARCHAR", "surface": "VARCHAR", "batchId": "VARCHAR", "webhookId": "VARCHAR", "reuse": "BOOLEAN",
    "reused": "VARCHAR", "windowSeconds": "DOUBLE",
    "options": {"failFast": "BOOLEAN", "strictLang": "BOOLEAN", "translate": "BOOLEAN", "words": "BOOLEAN",
      "speakers": "BOOLEAN", "vocabulary": "VARCHAR"},
    "code": "VARCHAR", "message": "VARCHAR",
    "unpaid": {"tokens": {"input": "BIGINT", "output": "BIGINT"}, "audioSeconds": "DOUBLE"},
    "platform": "VARCHAR", "durationSeconds": "DOUBLE",
    "language": "VARCHAR", "source": "VARCHAR", "engine": "VARCHAR", "model": "VARCHAR", "confidence": "DOUBLE",
    "heard": {"language": "VARCHAR", "probability": "DOUBLE"}, "vocabularyHeeded": "BOOLEAN", "reason": "VARCHAR",
    "framesUsed": "BIGINT", "rounds": "BIGINT"
  }') AS data
FROM events
WHERE category = 'job' AND type NOT IN ('StepStarted', 'LeaseExtended', 'StepFailed');
