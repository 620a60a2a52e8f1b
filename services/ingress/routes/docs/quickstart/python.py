import json
import os
from urllib.request import Request, urlopen

BASE = "http://127.0.0.1:8080"
HEADERS = {"x-api-key": os.environ["KEY"], "content-type": "application/json", "prefer": "wait=30"}


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(BASE + path, data, HEADERS)) as answer:
        return json.load(answer)


job = call("/v1/transcript", {"url": "https://www.youtube.com/watch?v=jNQXAC9IVRw"})
while job["status"] == "queued":
    job = call("/v1/transcript/" + job["jobId"])
print(job["resultJson"]["text"] if job["status"] == "completed" else job["error"])
