"""Shared by both clients, with and without ``await``: requests, answers, errors, and the pauses between retries."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from urllib.parse import parse_qs, quote, urlencode

import httpx

from .error import VideoIntelligenceError

Query = Mapping[str, str | int | None]

FIRST_PAUSE_SECONDS = 0.5
LAST_PAUSE_SECONDS = 8.0


@dataclass(frozen=True)
class Call:
    path: str
    method: Literal["GET", "POST", "PATCH", "DELETE"] = "GET"
    query: Query = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether repeating the call is safe, so that it is retried if its outcome is unknown.
    repeatable: bool = True
    #: How long the request asks the service to wait, seconds.
    wait_seconds: float = 0


@dataclass(frozen=True)
class Reply:
    status: int
    headers: httpx.Headers
    text: str


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str
    max_retries: int
    timeout_seconds: float
    max_pause_seconds: float
    traceparent: str | None
    user_agent: str | None

    def request_of(self, call: Call, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        base = re.sub(r"/v1$", "", self.base_url.rstrip("/"))
        query = urlencode({name: str(value) for name, value in call.query.items() if value is not None})
        headers = {"x-api-key": self.api_key, **call.headers}
        if self.traceparent is not None:
            headers["traceparent"] = self.traceparent
        if self.user_agent is not None:
            headers["user-agent"] = self.user_agent
        if call.body is not None:
            headers["content-type"] = "application/json"
        return client.build_request(
            call.method,
            f"{base}{call.path}{'?' if query else ''}{query}",
            headers=headers,
            content=None if call.body is None else json.dumps(call.body),
            timeout=self.timeout_seconds + call.wait_seconds,
        )

    def pause_seconds(self, error: VideoIntelligenceError, call: Call, retry: int) -> float | None:
        """Seconds until the next attempt. None if another attempt is useless or might do harm."""
        pause = _pause_seconds(error, call, retry) if retry < self.max_retries else None
        return None if pause is None or pause > self.max_pause_seconds else pause


def path_of(root: str, *names: str) -> str:
    return "/".join([root, *(quote(name, safe="") for name in names)])


def preferring(wait_seconds: float) -> dict[str, str]:
    return {"prefer": f"wait={wait_seconds:g}"} if wait_seconds > 0 else {}


def parsed(reply: Reply) -> Any:
    """The text of an answer as JSON. Raises ``invalid_response`` if it is not JSON."""
    try:
        return json.loads(reply.text)
    except ValueError as cause:
        message = "The answer is not JSON: is this address the service?"
        request_id = reply.headers.get("x-request-id")
        raise VideoIntelligenceError(
            "invalid_response", message, status=reply.status, request_id=request_id
        ) from cause


def failure_in(reply: Reply) -> VideoIntelligenceError | None:
    """None for a success, and for the end of a job: a 504 with a jobId is an answer about that job."""
    if reply.status < 300 or (reply.status == 504 and isinstance(_object_in(reply.text).get("jobId"), str)):
        return None
    answer = _object_in(reply.text)
    details = answer.get("details")
    code, message = answer.get("error"), answer.get("message")
    if not isinstance(code, str):
        code, message = "invalid_response", f"Something else than the service answered {reply.status}."
    return VideoIntelligenceError(
        code,
        message if isinstance(message, str) else code,
        status=reply.status,
        details=details,
        documentation_url=answer.get("documentationUrl"),
        request_id=reply.headers.get("x-request-id"),
        job_id=details.get("jobId") if isinstance(details, dict) else None,
        retry_after_seconds=_retry_after_seconds(reply),
    )


def not_reached(cause: httpx.RequestError) -> VideoIntelligenceError:
    late = isinstance(cause, httpx.TimeoutException)
    message = "The service did not answer in time." if late else "The service could not be reached."
    error = VideoIntelligenceError("network_error", message)
    error.__cause__ = cause
    return error


def next_cursor_in(headers: httpx.Headers) -> str | None:
    """The cursor in ``<?cursor=…>; rel="next"``. None if there is none."""
    target = re.search(r'<\?([^>]*)>; rel="next"', headers.get("link", ""))
    return parse_qs(target[1]).get("cursor", [None])[0] if target else None


class Lines:
    """
    Cuts the parts of a body into lines, at ``\\n`` only: JSON may contain the other characters at which Python splits.
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, part: bytes) -> list[str]:
        *lines, self._rest = (self._rest + part).split(b"\n")
        return [line.decode() for line in lines]


class ServerSentEvents:
    """Collects the lines of a ``text/event-stream`` from this service. Each event has one line of data."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def feed(self, line: str) -> tuple[str, str] | None:
        """The type and the data of the event that ends with this line. None if no event ends here."""
        name, _, value = line.partition(":")
        if line:
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        return (fields.get("event", "message"), fields["data"]) if "data" in fields else None


def _object_in(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        # Not this service's answer: the caller uses only its status.
        return {}
    return value if isinstance(value, dict) else {}


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def _clock_of(headers: httpx.Headers) -> float:
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError):
        return time.time()


def _retry_after_seconds(reply: Reply) -> float | None:
    """How long to wait, seconds, by the clock of the service (``Date``), because ours may be wrong."""
    after = _number(reply.headers.get("retry-after"))
    if reply.status != 429:
        return after
    reset = _number(reply.headers.get("x-ratelimit-reset"))
    until_reset = 0.0 if reset is None else reset - _clock_of(reply.headers)
    return max(until_reset, after or 0.0, 0.0)


def _pause_seconds(error: VideoIntelligenceError, call: Call, retry: int) -> float | None:
    # A 429 had no effect, so any call may be repeated.
    if error.status == 429:
        return error.retry_after_seconds if error.retry_after_seconds is not None else 1.0
    if not call.repeatable:
        return None
    if error.status == 503 and error.retry_after_seconds is not None:
        return error.retry_after_seconds
    from_in_between = error.code == "invalid_response" and error.status >= 502
    if error.status != 0 and not from_in_between:
        return None
    return random.random() * min(LAST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**retry)
