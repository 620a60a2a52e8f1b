curl -s http://127.0.0.1:8080/v1/transcript \
  -H "x-api-key: $KEY" -H 'content-type: application/json' -H 'prefer: wait=60' \
  -d '{"url": "https://www.youtube.com/watch?v=jNQXAC9IVRw"}'
