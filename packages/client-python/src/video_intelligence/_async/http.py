from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from ..call import Call, Lines, Reply, Settings, failure_in, not_reached, parsed
from ..error import VideoIntelligenceError


class AsyncHttp:
    """HTTP calls to the service, with retries."""

    def __init__(self, settings: Settings, client: httpx.AsyncClient | None) -> None:
        self._settings = settings
        self._client = httpx.AsyncClient() if client is None else client
        self._is_ours = client is None

    async def aclose(self) -> None:
        if self._is_ours:
            await self._client.aclose()

    async def json(self, call: Call) -> Any:
        return parsed(await self.send(call))

    async def send(self, call: Call) -> Reply:
        """The answer, if it is a success or the end of a job."""
        return (await self._answered(call, stream=False))[1]

    @asynccontextmanager
    async def open(self, call: Call) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body of a success, part by part."""
        response, _ = await self._answered(call, stream=True)
        try:
            yield response.aiter_bytes()
        finally:
            await response.aclose()

    @asynccontextmanager
    async def lines(self, call: Call) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of a success as they arrive."""
        async with self.open(call) as parts:
            yield _lines_of(parts)

    async def _answered(self, call: Call, *, stream: bool) -> tuple[httpx.Response, Reply]:
        retry = 0
        while True:
            outcome = await self._once(call, stream=stream)
            if not isinstance(outcome, VideoIntelligenceError):
                return outcome
            pause = self._settings.pause_seconds(outcome, call, retry)
            if pause is None:
                raise outcome
            await asyncio.sleep(pause)
            retry += 1

    async def _once(self, call: Call, *, stream: bool) -> tuple[httpx.Response, Reply] | VideoIntelligenceError:
        request = self._settings.request_of(call, self._client)
        try:
            # No redirects: the key is sent to this address only.
            response = await self._client.send(request, stream=stream, follow_redirects=False)
            if stream and response.is_success:
                return response, Reply(response.status_code, response.headers, "")
            try:
                await response.aread()
            finally:
                await response.aclose()
        except httpx.RequestError as cause:
            return not_reached(cause)
        reply = Reply(response.status_code, response.headers, response.text)
        return failure_in(reply) or (response, reply)


async def _lines_of(parts: AsyncIterator[bytes]) -> AsyncIterator[str]:
    lines = Lines()
    async for part in parts:
        for line in lines.feed(part):
            yield line
