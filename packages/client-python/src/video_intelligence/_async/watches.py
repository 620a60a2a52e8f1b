from __future__ import annotations

import builtins
from collections.abc import AsyncIterator

from ..call import Call, path_of
from ..models import (
    DeletedWatch,
    FoundVideo,
    FoundVideoList,
    NewWatchRequest,
    Watch,
    WatchChanges,
    WatchDetails,
)
from .http import AsyncHttp

ROOT = "/v1/watches"


class AsyncWatches:
    """The sources that an organization watches for new videos."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(self) -> builtins.list[Watch]:
        return await self._http.json(Call(ROOT))

    async def get(self, watch_id: str) -> WatchDetails:
        return await self._http.json(Call(path_of(ROOT, watch_id)))

    async def create(self, body: NewWatchRequest) -> WatchDetails:
        """Retried only after a 429, so that no second watch is created."""
        return await self._http.json(Call(ROOT, "POST", body=body, repeatable=False))

    async def change(self, watch_id: str, body: WatchChanges) -> WatchDetails:
        """Changes a watch. ``status`` pauses and resumes it."""
        return await self._http.json(Call(path_of(ROOT, watch_id), "PATCH", body=body))

    async def delete(self, watch_id: str) -> DeletedWatch:
        return await self._http.json(Call(path_of(ROOT, watch_id), "DELETE"))

    async def found(self, watch_id: str, *, after: int | None = None, limit: int | None = None) -> FoundVideoList:
        """One page of what it has found. ``after``: the ``next`` of the previous page."""
        query = {"after": after, "limit": limit}
        return await self._http.json(Call(path_of(ROOT, watch_id, "found"), query=query))

    async def all_found(self, watch_id: str, *, after: int = 0) -> AsyncIterator[FoundVideo]:
        """Everything that it has found after a number, in order."""
        while True:
            page = await self.found(watch_id, after=after, limit=100)
            for video in page["found"]:
                yield video
            if not page["hasMore"]:
                return
            after = page["next"]
