JOB=$(curl -s http://127.0.0.1:8080/v1/transcript -H "x-api-key: $KEY" -H 'content-type: application/json' \
  -d '{"url": "https://www.youtube.com/watch?v=nvlHourCh01", "mode": "native"}' | cut -d '"' -f 4)
curl -s "http://127.0.0.1:8080/v1/transcript/$JOB" -H "x-api-key: $KEY" -H 'prefer: wait=60'
