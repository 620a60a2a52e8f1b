from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Unpack

import httpx

from ..call import Call, ServerSentEvents, Settings, next_cursor_in, parsed, path_of
from ..error import VideoIntelligenceError
from ..jobs import Metadata, Polling
from ..models import (
    Credits,
    CreditsTransactionList,
    Estimate,
    ExtractRequest,
    InstagramProfile,
    JobDetails,
    JobList,
    Key,
    NewKey,
    Organization,
    Platform,
    RevokedKey,
    SearchResult,
    TikTokProfile,
    Timeline,
    TimelineEvent,
    TranscriptRequest,
    TranscriptResult,
    TranscriptResultChunk,
    Usage,
    YouTubeChannel,
    YouTubePlaylist,
)
from ..questions import (
    ChannelQuestion,
    JobsQuestion,
    KeyLimits,
    PlaylistQuestion,
    ProfileQuestion,
    SearchQuestion,
    UsageQuestion,
    sent,
)
from .batches import AsyncBatches
from .http import AsyncHttp
from .jobs import AsyncJobs
from .watches import AsyncWatches
from .webhooks import AsyncWebhooks

#: The pause before a broken stream of events is opened again.
REOPEN_AFTER_SECONDS = 1

MEDIA_TYPES = {"vtt": "text/vtt", "srt": "application/x-subrip", "text": "text/plain"}


class AsyncVideoIntelligence:
    """
    A typed client of the service's ``/v1``. Every method raises VideoIntelligenceError.

    :param base_url: such as ``https://api.example.com``, without ``/v1``
    :param max_retries: how often a call is retried
    :param timeout_seconds: the longest silence before an answer or its next part, in addition to the time that a
        request asks the service to wait
    :param max_pause_seconds: the longest wait accepted from an answer; the window of a rate limit is 60 seconds
    :param traceparent: the span that the calls belong to (W3C Trace Context)
    :param user_agent: the program's name; by default httpx's
    :param http_client: a client of httpx, for proxies, certificates and limits of connections; it stays open
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        max_retries: int = 4,
        timeout_seconds: float = 30,
        max_pause_seconds: float = 65,
        polling: Polling = Polling(),
        traceparent: str | None = None,
        user_agent: str | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        settings = Settings(
            base_url, api_key, max_retries, timeout_seconds, max_pause_seconds, traceparent, user_agent
        )
        self._http = AsyncHttp(settings, http_client)
        self.transcripts = AsyncJobs[TranscriptRequest, TranscriptResult](self._http, "transcript", polling)
        self.extractions = AsyncJobs[ExtractRequest, dict[str, Any]](self._http, "extract", polling)
        self.batches = AsyncBatches(self._http)
        self.watches = AsyncWatches(self._http)
        self.webhooks = AsyncWebhooks(self._http)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncVideoIntelligence:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def me(self) -> Organization:
        return await self._get("/v1/me")

    async def metadata(self, url: str, *, include: Sequence[Literal["captions", "chapters"]] = ()) -> Metadata:
        """``include``: fields that are returned only on request."""
        query = {"url": url, "include": ",".join(include) or None}
        reply = await self._http.send(Call("/v1/metadata", query=query))
        metadata: Metadata = parsed(reply)
        if incomplete := reply.headers.get("x-metadata-incomplete"):
            metadata["incomplete"] = incomplete.split(", ")
        return metadata

    async def estimate(self, body: TranscriptRequest | ExtractRequest) -> Estimate:
        """What a job with this body would cost, how long it would take, and why it would be refused or fail."""
        return await self._http.json(Call("/v1/estimate", "POST", body=body))

    async def search(self, **question: Unpack[SearchQuestion]) -> list[SearchResult]:
        return await self._get("/v1/search", question)

    def search_pages(self, **question: Unpack[SearchQuestion]) -> AsyncIterator[list[SearchResult]]:
        """The pages of a search of one platform. A search of all platforms has one page."""
        return self._pages("/v1/search", question)

    async def tiktok_profile(self, **question: Unpack[ProfileQuestion]) -> TikTokProfile:
        return await self._get("/v1/tiktok/profile", question)

    def tiktok_profile_pages(self, **question: Unpack[ProfileQuestion]) -> AsyncIterator[TikTokProfile]:
        """The pages of a profile. Each repeats the profile, with its next videos."""
        return self._pages("/v1/tiktok/profile", question)

    async def instagram_profile(self, **question: Unpack[ProfileQuestion]) -> InstagramProfile:
        return await self._get("/v1/instagram/profile", question)

    def instagram_profile_pages(self, **question: Unpack[ProfileQuestion]) -> AsyncIterator[InstagramProfile]:
        return self._pages("/v1/instagram/profile", question)

    async def platforms(self) -> list[Platform]:
        """What each platform offers, and how reading from it went in the last hour."""
        return await self._get("/v1/platforms")

    async def youtube_channel(self, **question: Unpack[ChannelQuestion]) -> YouTubeChannel:
        """One page of a YouTube channel's list."""
        return await self._get("/v1/youtube/channel", question)

    def youtube_channel_pages(self, **question: Unpack[ChannelQuestion]) -> AsyncIterator[YouTubeChannel]:
        return self._pages("/v1/youtube/channel", question)

    async def youtube_playlist(self, **question: Unpack[PlaylistQuestion]) -> YouTubePlaylist:
        """One page of a YouTube playlist."""
        return await self._get("/v1/youtube/playlist", question)

    def youtube_playlist_pages(self, **question: Unpack[PlaylistQuestion]) -> AsyncIterator[YouTubePlaylist]:
        return self._pages("/v1/youtube/playlist", question)

    async def transcript_text(self, job_id: str, form: Literal["vtt", "srt", "text"]) -> str:
        """A completed transcript in a form other than JSON. Raises ``not_completed`` before that."""
        accept = MEDIA_TYPES[form]
        reply = await self._http.send(Call(path_of("/v1/transcript", job_id), headers={"accept": accept}))
        if reply.headers.get("content-type", "").startswith(accept):
            return reply.text
        raise VideoIntelligenceError("not_completed", "The job is not completed.", status=reply.status, job_id=job_id)

    async def transcript_chunks(self, job_id: str, chunk_size: int) -> list[TranscriptResultChunk]:
        """
        The text of a completed transcript in chunks of whole sentences. Raises ``not_completed`` before that.

        :param chunk_size: characters, 200 to 10,000; only a sentence that is longer exceeds it
        """
        reply = await self._http.send(Call(path_of("/v1/transcript", job_id), query={"chunkSize": chunk_size}))
        result = parsed(reply).get("resultJson")
        if result is not None and "chunks" in result:
            return result["chunks"]
        raise VideoIntelligenceError("not_completed", "The job is not completed.", status=reply.status, job_id=job_id)

    async def jobs(self, **question: Unpack[JobsQuestion]) -> JobList:
        """One page of the organization's jobs, newest first."""
        return await self._get("/v1/jobs", question)

    async def job(self, job_id: str) -> JobDetails:
        """Everything about a job except its result."""
        return await self._get(path_of("/v1/jobs", job_id))

    async def job_events(self, job_id: str, *, after: int | None = None) -> Timeline:
        """What has happened to a job. ``after``: the ``id`` of an event: only later ones."""
        return await self._get(path_of("/v1/jobs", job_id, "events"), {"after": after})

    async def follow(self, job_id: str, *, after: int | None = None) -> AsyncIterator[TimelineEvent]:
        """
        The events of a job as they happen, until its end. If the stream breaks off, it is reopened where it stopped.

        :param after: the ``id`` of an event: only later ones
        """
        path = path_of("/v1/jobs", job_id, "events")
        while True:
            call = Call(path, query={"after": after}, headers={"accept": "text/event-stream"})
            try:
                async with self._http.lines(call) as lines:
                    stream = ServerSentEvents()
                    async for line in lines:
                        happened = stream.feed(line)
                        if happened is None:
                            continue
                        kind, data = happened
                        if kind == "end":
                            return
                        event: TimelineEvent = json.loads(data)
                        after = event["id"]
                        yield event
            except httpx.RequestError:
                # The stream broke off. Reopen it.
                pass
            await asyncio.sleep(REOPEN_AFTER_SECONDS)

    async def cancel(self, job_id: str) -> JobDetails:
        """Cancels a job, which is then refunded. Returns it; unchanged if it had already ended."""
        return await self._http.json(Call(path_of("/v1/jobs", job_id), "DELETE"))

    async def credits(self) -> Credits:
        """Plan, available and held credits, and the next renewal."""
        return await self._get("/v1/credits")

    async def transactions(self, *, cursor: str | None = None, limit: int | None = None) -> CreditsTransactionList:
        """One page of the organization's ledger, newest first."""
        return await self._get("/v1/credits/transactions", {"cursor": cursor, "limit": limit})

    async def usage(self, **question: Unpack[UsageQuestion]) -> Usage:
        """What ended jobs have cost."""
        return await self._get("/v1/usage", question)

    async def keys(self) -> list[Key]:
        return await self._get("/v1/keys")

    async def create_key(self, name: str, **limits: Unpack[KeyLimits]) -> NewKey:
        """Not retried if the key may have been created. Without limits the key may do everything."""
        return await self._http.json(Call("/v1/keys", "POST", body={"name": name, **sent(limits)}, repeatable=False))

    async def revoke_key(self, key_id: str) -> RevokedKey:
        return await self._http.json(Call(path_of("/v1/keys", key_id), "DELETE"))

    async def _get(self, path: str, question: Mapping[str, Any] = {}) -> Any:
        return await self._http.json(Call(path, query=sent(question)))

    async def _pages(self, path: str, question: Mapping[str, Any]) -> AsyncIterator[Any]:
        """This page and the following ones, found by their ``Link`` headers."""
        query = sent(question)
        while True:
            reply = await self._http.send(Call(path, query=query))
            yield parsed(reply)
            cursor = next_cursor_in(reply.headers)
            if cursor is None:
                return
            query = {**query, "cursor": cursor}
