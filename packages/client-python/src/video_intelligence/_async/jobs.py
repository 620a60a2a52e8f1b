from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from ..call import Call, path_of, preferring
from ..error import VideoIntelligenceError
from ..jobs import Job, Polling, job_of, result_of
from .http import AsyncHttp

B = TypeVar("B")
R = TypeVar("R")

#: Called after every poll that found the job unfinished, with the number of polls so far.
OnPoll = Callable[[int], object]


class AsyncJobs(Generic[B, R]):
    """The jobs of one kind."""

    def __init__(self, http: AsyncHttp, kind: Literal["transcript", "extract"], polling: Polling) -> None:
        self._http = http
        self._path = f"/v1/{kind}"
        self._polling = polling

    async def request(self, body: B, *, idempotency_key: str | None = None) -> str:
        """Requests a job, and returns its ID."""
        return (await self.begin(body, idempotency_key=idempotency_key))["jobId"]

    async def begin(self, body: B, *, idempotency_key: str | None = None, wait_seconds: float = 0) -> Job[R]:
        """
        Requests a job, lets the service wait a while for its end, and returns the job at that time.

        :param idempotency_key: repeats under the same key are the same job, for 24 hours; by default a fresh one
        """
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4()), **preferring(wait_seconds)}
        call = Call(self._path, "POST", body=body, headers=headers, wait_seconds=wait_seconds)
        return job_of(await self._http.send(call))

    async def poll(self, job_id: str, *, wait_seconds: float = 0) -> Job[R]:
        """Polls once. ``wait_seconds``: how long the service may wait for the end before it answers."""
        path = path_of(self._path, job_id)
        return job_of(
            await self._http.send(Call(path, headers=preferring(wait_seconds), wait_seconds=wait_seconds))
        )

    async def wait(self, job_id: str, *, on_poll: OnPoll | None = None) -> R:
        """
        Polls until the job has ended, and returns its result.

        :raises VideoIntelligenceError: with the job's own code if it failed; ``timeout`` after the last poll
        """
        for polls in range(1, self._polling.max_polls + 1):
            started_at = time.monotonic()
            job = await self.poll(job_id, wait_seconds=self._polling.wait_seconds)
            if job["status"] != "queued":
                return result_of(job)
            if on_poll is not None:
                on_poll(polls)
            await asyncio.sleep(max(0.0, started_at + self._polling.min_seconds - time.monotonic()))
        message = f"The job has not ended after {self._polling.max_polls} polls."
        raise VideoIntelligenceError("timeout", message, job_id=job_id)

    async def run(self, body: B, *, idempotency_key: str | None = None, on_poll: OnPoll | None = None) -> R:
        """Requests a job and polls it to its end. Does not poll if the answer shows the end."""
        job = await self.begin(body, idempotency_key=idempotency_key, wait_seconds=self._polling.wait_seconds)
        return await self.wait(job["jobId"], on_poll=on_poll) if job["status"] == "queued" else result_of(job)
