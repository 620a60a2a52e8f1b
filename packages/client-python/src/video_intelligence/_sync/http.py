# Written by `npm run contracts:python`. Do not edit.
from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from ..call import Call, Lines, Reply, Settings, failure_in, not_reached, parsed
from ..error import VideoIntelligenceError


class Http:
    """HTTP calls to the service, with retries."""

    def __init__(self, settings: Settings, client: httpx.Client | None) -> None:
        self._settings = settings
        self._client = httpx.Client() if client is None else client
        self._is_ours = client is None

    def close(self) -> None:
        if self._is_ours:
            self._client.close()

    def json(self, call: Call) -> Any:
        return parsed(self.send(call))

    def send(self, call: Call) -> Reply:
        """The answer, if it is a success or the end of a job."""
        return (self._answered(call, stream=False))[1]

    @contextmanager
    def open(self, call: Call) -> Iterator[Iterator[bytes]]:
        """The body of a success, part by part."""
        response, _ = self._answered(call, stream=True)
        try:
            yield response.iter_bytes()
        finally:
            response.close()

    @contextmanager
    def lines(self, call: Call) -> Iterator[Iterator[str]]:
        """The lines of a success as they arrive."""
        with self.open(call) as parts:
            yield _lines_of(parts)

    def _answered(self, call: Call, *, stream: bool) -> tuple[httpx.Response, Reply]:
        retry = 0
        while True:
            outcome = self._once(call, stream=stream)
            if not isinstance(outcome, VideoIntelligenceError):
                return outcome
            pause = self._settings.pause_seconds(outcome, call, retry)
            if pause is None:
                raise outcome
            time.sleep(pause)
            retry += 1

    def _once(self, call: Call, *, stream: bool) -> tuple[httpx.Response, Reply] | VideoIntelligenceError:
        request = self._settings.request_of(call, self._client)
        try:
            # No redirects: the key is sent to this address only.
            response = self._client.send(request, stream=stream, follow_redirects=False)
            if stream and response.is_success:
                return response, Reply(response.status_code, response.headers, "")
            try:
                response.read()
            finally:
                response.close()
        except httpx.RequestError as cause:
            return not_reached(cause)
        reply = Reply(response.status_code, response.headers, response.text)
        return failure_in(reply) or (response, reply)


def _lines_of(parts: Iterator[bytes]) -> Iterator[str]:
    lines = Lines()
    for part in parts:
        for line in lines.feed(part):
            yield line
