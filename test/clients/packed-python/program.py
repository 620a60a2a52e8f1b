"""
Works with the packed client, without `await` and with it: a transcript, its timeline, a job that fails, a refused lookup,
and a message to a webhook. Arguments: base URL, key, a video with captions, a private one, a file with a SignedMessage.
Prints both results as JSON. It runs in an empty environment (`packed-python.ts`).
"""

import asyncio
import json
import sys

from video_intelligence import AsyncVideoIntelligence, VideoIntelligence, VideoIntelligenceError, verify_webhook

base_url, api_key, captioned, hidden, message_file = sys.argv[1:]


def told(transcript, timeline, failure, refused):
    return {
        "segments": len(transcript["segments"]),
        "source": transcript["source"],
        "timeline": [timeline[0], "completed" in timeline],
        "failure": failure.code,
        "error": refused.code,
        "code": refused.details["code"],
    }


def work():
    def error_of(call):
        try:
            call()
        except VideoIntelligenceError as error:
            return error

    with VideoIntelligence(base_url=base_url, api_key=api_key) as client:
        transcript = client.transcripts.run({"url": captioned, "mode": "native"})
        newest = client.jobs(status="completed", limit=1)["jobs"][0]
        timeline = [event["type"] for event in client.follow(newest["jobId"])]
        failure = error_of(lambda: client.transcripts.run({"url": hidden, "mode": "native"}))
        return told(transcript, timeline, failure, error_of(lambda: client.metadata(hidden)))


async def work_with_await():
    async def error_of(call):
        try:
            await call
        except VideoIntelligenceError as error:
            return error

    async with AsyncVideoIntelligence(base_url=base_url, api_key=api_key) as client:
        transcript = await client.transcripts.run({"url": captioned, "mode": "native"})
        newest = (await client.jobs(status="completed", limit=1))["jobs"][0]
        timeline = [event["type"] async for event in client.follow(newest["jobId"])]
        failure = await error_of(client.transcripts.run({"url": hidden, "mode": "native"}))
        return told(transcript, timeline, failure, await error_of(client.metadata(hidden)))


with open(message_file, encoding="utf-8") as file:
    message = json.load(file)
for secret in message["secrets"]:
    # On a slow machine the message is old by now.
    now = float(message["headers"]["webhook-timestamp"])
    assert verify_webhook(message["body"], message["headers"], secret, now=now)["type"] == "ping"

print(json.dumps([work(), asyncio.run(work_with_await())]))
