from __future__ import annotations

from typing import Any


class VideoIntelligenceError(Exception):
    """
    The only error class of this client.

    ``code`` comes from the Error object (``unauthorized``, ``rate_limited`` …), from a failed job (``no_speech``,
    ``video_private`` …), or from this client: ``network_error`` (no answer came), ``invalid_response`` (the answer is
    not from this service), ``not_completed``, ``invalid_signature``, ``timeout`` (the job exceeded its window, or did
    not end within all polls).
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Any = None,
        documentation_url: str | None = None,
        request_id: str | None = None,
        job_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        # Both are in `args`, so that the error can be pickled, for example by a process pool.
        super().__init__(code, message)
        self.code = code
        self.message = message
        #: HTTP status; 0 if no answer came.
        self.status = status
        #: ``details`` of the Error object.
        self.details = details
        #: The page that explains the code.
        self.documentation_url = documentation_url
        #: ``X-Request-Id`` of the answer, for reports to operators.
        self.request_id = request_id
        #: The job that failed, or that may have been accepted.
        self.job_id = job_id
        #: When to try again, if the answer says so.
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
