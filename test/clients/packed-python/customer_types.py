"""
Types of the packed client, as a customer's checker sees them. mypy also refuses a comment that ignores an error where there
is none, so each of them is a field or a value that the checker refuses. It is not run (`packed-python.ts`).
"""

from collections.abc import Mapping

from video_intelligence import AsyncVideoIntelligence, VideoIntelligence, verify_webhook
from video_intelligence.models import BatchDetails, TranscriptRequest, TranscriptResult

client = VideoIntelligence(base_url="https://api.example.com", api_key="ma_key")


def progress(batch: BatchDetails) -> None:
    print(batch["counts"]["completed"] + 1)


def texts(url: str) -> list[str]:
    body: TranscriptRequest = {"url": url, "mode": "auto", "lang": "en", "reuse": True}
    result: TranscriptResult = client.transcripts.run(body, idempotency_key="k", on_poll=print)
    batch = client.batches.run({"operation": "transcript", "requests": [url]}, on_progress=progress)
    for item in client.batches.results(batch["batchId"]):
        print(item["url"].upper())
    for event in client.follow("job"):
        print(event["type"].upper(), event["at"].upper())
    for page in client.youtube_channel_pages(handle="longshelf", type="shorts"):
        print(page["videos"][0]["title"])
    return [segment["text"].upper() for segment in result["segments"]]


async def text(client: AsyncVideoIntelligence, url: str) -> str:
    async for page in client.search_pages(q="sense", platform="youtube"):
        print(page[0]["title"])
    return (await client.transcripts.run({"url": url}))["text"]


def receive(body: bytes, headers: Mapping[str, str]) -> str:
    message = verify_webhook(body, headers, "whsec_b25l")
    return message["data"]["jobId"] if message["type"] == "job.completed" else message["type"]


client.transcripts.run({"urll": "https://youtu.be/jNQXAC9IVRw"})  # type: ignore[typeddict-item]
client.transcripts.run({"url": "https://youtu.be/jNQXAC9IVRw", "mode": "best"})  # type: ignore[typeddict-item]
client.extractions.run({"prompt": "Who speaks?"})  # type: ignore[typeddict-item]
client.jobs(keyid="k")  # type: ignore[call-arg]
client.me()["organization"]  # type: ignore[typeddict-item]
