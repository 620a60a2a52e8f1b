from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Literal

import httpx

from ..call import Call, path_of
from ..error import VideoIntelligenceError
from ..jobs import BatchResult
from ..models import BatchDetails, BatchItemList, BatchList, NewBatchRequest
from .http import AsyncHttp

ROOT = "/v1/batches"

#: The pause between polls. A batch lasts minutes.
LOOK_EVERY_SECONDS = 2

#: Called with the current batch after each poll.
OnProgress = Callable[[BatchDetails], object]


class AsyncBatches:
    """Batches: one request for many videos."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def create(self, body: NewBatchRequest, *, idempotency_key: str | None = None) -> BatchDetails:
        """A repeat with the same idempotency key returns the same batch, and holds its credits once."""
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return await self._http.json(Call(ROOT, "POST", body=body, headers=headers))

    async def run(
        self,
        body: NewBatchRequest,
        *,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> BatchDetails:
        """Creates a batch and waits for its end."""
        batch = await self.create(body, idempotency_key=idempotency_key)
        return await self.wait(batch["batchId"], on_progress=on_progress)

    async def wait(self, batch_id: str, *, on_progress: OnProgress | None = None) -> BatchDetails:
        while True:
            batch = await self.get(batch_id)
            if on_progress is not None:
                on_progress(batch)
            if batch["status"] == "ended":
                return batch
            await asyncio.sleep(LOOK_EVERY_SECONDS)

    async def list(self, *, cursor: str | None = None, limit: int | None = None) -> BatchList:
        return await self._http.json(Call(ROOT, query={"cursor": cursor, "limit": limit}))

    async def get(self, batch_id: str) -> BatchDetails:
        return await self._http.json(Call(path_of(ROOT, batch_id)))

    async def items(
        self,
        batch_id: str,
        *,
        state: Literal["queued", "working", "completed", "failed", "cancelled"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> BatchItemList:
        """One page of its items, in order."""
        query = {"state": state, "cursor": cursor, "limit": limit}
        return await self._http.json(Call(path_of(ROOT, batch_id, "items"), query=query))

    async def cancel(self, batch_id: str) -> BatchDetails:
        """Cancels the batch: no further items begin. Jobs that have begun continue."""
        return await self._http.json(Call(path_of(ROOT, batch_id), "DELETE"))

    async def file(
        self, batch_id: str, format: Literal["ndjson", "csv", "srt", "vtt", "txt"]
    ) -> AsyncIterator[bytes]:
        """One file of its current results, part by part. ``srt``, ``vtt`` and ``txt`` are ZIPs of transcripts."""
        async with self._http.open(self._file(batch_id, format)) as parts:
            try:
                async for part in parts:
                    yield part
            except httpx.RequestError as cause:
                raise _broken_off() from cause

    async def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        """Its items with their current results, in order."""
        async with self._http.lines(self._file(batch_id, "ndjson")) as lines:
            try:
                async for line in lines:
                    yield json.loads(line)
            except (httpx.RequestError, ValueError) as cause:
                raise _broken_off() from cause

    def _file(self, batch_id: str, format: str) -> Call:
        return Call(path_of(ROOT, batch_id, "results"), query={"format": format})


def _broken_off() -> VideoIntelligenceError:
    return VideoIntelligenceError("network_error", "The results broke off before their end.")
