-- One row for each video that was fetched, as last seen.
CREATE VIEW videos AS
WITH fetched AS (
  SELECT substr(stream, 5) AS job_id, org_id, recorded_at, json_transform(data, '{
    "canonicalUrl": "VARCHAR", "platform": "VARCHAR", "way": "VARCHAR", "durationSeconds": "DOUBLE", "liveState": "VARCHAR",
    "metadata": {"title": "VARCHAR", "author": "VARCHAR", "viewCount": "BIGINT", "likeCount": "BIGINT",
      "publishedAt": "VARCHAR", "description": "VARCHAR", "authorId": "VARCHAR", "authorUrl": "VARCHAR",
      "commentCount": "BIGINT", "shareCount": "BIGINT", "tags": ["VARCHAR"]},
    "captionTracks": [{"language": "VARCHAR"}]
  }') AS data
  FROM events
  WHERE category = 'job' AND type = 'VideoFetched'
)
SELECT
  data.canonicalUrl AS url,
  nullif(regexp_extract(data.canonicalUrl, '^https?://([^/?#:]+)', 1), '') AS host,
  max_by(data.platform, recorded_at) AS platform,
  min(recorded_at) AS first_fetched_at,
  max(recorded_at) AS fetched_at,
  count(DISTINCT job_id) AS jobs,
  count(DISTINCT org_id) AS customers,
  max_by(data.way, recorded_at) AS way,
  max_by(data.durationSeconds, recorded_at) AS video_seconds,
  max_by(data.liveState, recorded_at) AS live_state,
  max_by(nullif(data.metadata.title, ''), recorded_at) AS title,
  max_by(nullif(data.metadata.author, ''), recorded_at) AS author,
  max_by(nullif(data.metadata.authorId, ''), recorded_at) AS author_id,
  max_by(nullif(data.metadata.authorUrl, ''), recorded_at) AS author_url,
  max_by(nullif(data.metadata.description, ''), recorded_at) AS description,
  max_by(nullif(data.metadata.tags, []), recorded_at) AS tags,
  max_by(try_cast(data.metadata.publishedAt AS TIMESTAMP), recorded_at) AS published_at,
  max_by(data.metadata.viewCount, recorded_at) AS views,
  max_by(data.metadata.likeCount, recorded_at) AS likes,
  max_by(data.metadata.commentCount, recorded_at) AS comments,
  max_by(data.metadata.shareCount, recorded_at) AS shares,
  max_by(list_transform(data.captionTracks, lambda track: track.language), recorded_at) AS caption_languages
FROM fetched
GROUP BY data.canonicalUrl;
