# Written by `npm run contracts:python`. Do not edit.
from __future__ import annotations

import builtins
from collections.abc import Iterator

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
from .http import Http

ROOT = "/v1/watches"


class Watches:
    """The sources that an organization watches for new videos."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self) -> builtins.list[Watch]:
        return self._http.json(Call(ROOT))

    def get(self, watch_id: str) -> WatchDetails:
        return self._http.json(Call(path_of(ROOT, watch_id)))

    def create(self, body: NewWatchRequest) -> WatchDetails:
        """Retried only after a 429, so that no second watch is created."""
        return self._http.json(Call(ROOT, "POST", body=body, repeatable=False))

    def change(self, watch_id: str, body: WatchChanges) -> WatchDetails:
        """Changes a watch. ``status`` pauses and resumes it."""
        return self._http.json(Call(path_of(ROOT, watch_id), "PATCH", body=body))

    def delete(self, watch_id: str) -> DeletedWatch:
        return self._http.json(Call(path_of(ROOT, watch_id), "DELETE"))

    def found(self, watch_id: str, *, after: int | None = None, limit: int | None = None) -> FoundVideoList:
        """One page of what it has found. ``after``: the ``next`` of the previous page."""
        query = {"after": after, "limit": limit}
        return self._http.json(Call(path_of(ROOT, watch_id, "found"), query=query))

    def all_found(self, watch_id: str, *, after: int = 0) -> Iterator[FoundVideo]:
        """Everything that it has found after a number, in order."""
        while True:
            page = self.found(watch_id, after=after, limit=100)
            for video in page["found"]:
                yield video
            if not page["hasMore"]:
                return
            after = page["next"]
