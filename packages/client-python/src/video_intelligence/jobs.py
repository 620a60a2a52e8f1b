"""Jobs: shared by both clients, with and without ``await``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

from .call import Reply, parsed
from .error import VideoIntelligenceError
from .models import BatchItem, JobFailure, VideoMetadata

R = TypeVar("R")


class Job(TypedDict, Generic[R]):
    """A job as a poll returns it. A timed-out job looks like any other failed one."""

    jobId: str
    status: Literal["queued", "completed", "failed"]
    resultJson: R | None
    error: JobFailure | None


class BatchResult(BatchItem):
    """One item of a batch with its result, or None if it has none."""

    result: Any


class Metadata(VideoMetadata):
    #: The fields that could not be read. Missing if all could be read.
    incomplete: NotRequired[list[str]]


@dataclass(frozen=True)
class Polling:
    """How a job is polled. The defaults are the specification's advice."""

    #: Shortest time from one poll to the next, seconds.
    min_seconds: float = 1
    #: How long each poll lets the service wait for the end of the job, seconds.
    wait_seconds: float = 2
    max_polls: int = 120


def job_of(reply: Reply) -> Job[Any]:
    """The job in an answer."""
    body = parsed(reply)
    error = body.get("error")
    if isinstance(error, str):
        error = JobFailure(code=body["error"], message=body["message"])
    return Job(jobId=body["jobId"], status=body["status"], resultJson=body.get("resultJson"), error=error)


def result_of(job: Job[R]) -> R:
    """The result of an ended job. Raises the job's own code if it failed."""
    if job["status"] == "completed" and job["resultJson"] is not None:
        return job["resultJson"]
    failure = job["error"]
    code, message = (failure["code"], failure["message"]) if failure else ("internal_error", "The job failed.")
    raise VideoIntelligenceError(code, message, status=504 if code == "timeout" else 200, job_id=job["jobId"])
