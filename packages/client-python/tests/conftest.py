"""A service that sends scripted answers, and both clients to call it."""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from video_intelligence import AsyncVideoIntelligence, VideoIntelligence

HANG_UP = "hang up"


class BreaksOff(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that breaks off after its beginning."""

    def __init__(self, beginning: str) -> None:
        self.beginning = beginning.encode()

    def __iter__(self) -> Iterator[bytes]:
        yield self.beginning
        raise httpx.ReadError("lost")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self:
            yield part


class Service:
    """Sends its answers in turn, then repeats the last one. Records the requests, and the client's pauses."""

    def __init__(self, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kind = kind
        self.asked: list[httpx.Request] = []
        self.pauses: list[float] = []

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        monkeypatch.setattr(time, "sleep", self.pauses.append)
        monkeypatch.setattr(asyncio, "sleep", pause)

    def ask(self, work, *answers, **options):
        """Calls a client, and returns its result, or all items of an iterator."""

        def answer(request: httpx.Request) -> httpx.Response:
            self.asked.append(request)
            given = answers[min(len(self.asked), len(answers)) - 1]
            if given == HANG_UP:
                raise httpx.ReadError("lost")
            return httpx.Response(**{"status_code": 200, **given})

        transport = httpx.MockTransport(answer)
        options = {"base_url": "https://api.example.com/v1/", "api_key": "ma_key", **options}
        if self.kind == "async":
            return asyncio.run(self._awaited(work, httpx.AsyncClient(transport=transport), options))
        with VideoIntelligence(http_client=httpx.Client(transport=transport), **options) as client:
            result = work(client)
            return list(result) if inspect.isgenerator(result) else result

    async def _awaited(self, work, http_client, options):
        async with AsyncVideoIntelligence(http_client=http_client, **options) as client:
            result = work(client)
            return [each async for each in result] if inspect.isasyncgen(result) else await result


@pytest.fixture(params=["sync", "async"])
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Service:
    return Service(request.param, monkeypatch)
