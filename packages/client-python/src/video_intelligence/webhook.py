from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterable
from typing import Protocol, TypeAlias, cast

from .error import VideoIntelligenceError
from .models import (
    WebhookBatchMessage,
    WebhookCreditsMessage,
    WebhookJobMessage,
    WebhookPingMessage,
    WebhookWatchMessage,
)

#: A message to a webhook. ``type`` says which kind it is.
WebhookMessage: TypeAlias = (
    WebhookJobMessage | WebhookCreditsMessage | WebhookWatchMessage | WebhookBatchMessage | WebhookPingMessage
)


class Headers(Protocol):
    """The headers of a request, in upper or lower case: a dict, or a web framework's or ``http.server``'s headers."""

    def items(self) -> Iterable[tuple[str, str]]: ...


#: The most that the clocks of the two sides may differ.
TOLERANCE_SECONDS = 300


def verify_webhook(
    body: bytes | str, headers: Headers, secret: str, *, now: float | None = None
) -> WebhookMessage:
    """
    Checks that a message comes from the service (Standard Webhooks, HMAC-SHA256) and is not an old one sent again.

    :param body: the body of the request as received, before parsing
    :param secret: ``whsec_…``, as shown when the webhook was created
    :param now: the time, seconds since 1970
    :raises VideoIntelligenceError: ``invalid_signature``
    """
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if name not in given:
            raise _invalid(f"The message has no header {name}.")
    timestamp = given["webhook-timestamp"]
    if not _is_recent(timestamp, time.time() if now is None else now):
        raise _invalid("The message was signed more than five minutes ago, or the clocks differ.")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + content
    tag = hmac.new(_key_of(secret), signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(tag)
    if any(hmac.compare_digest(expected, one.encode()) for one in given["webhook-signature"].split(" ")):
        return cast(WebhookMessage, json.loads(content))
    raise _invalid("The signature does not fit: the body was changed, or the secret is another.")


def _invalid(message: str) -> VideoIntelligenceError:
    return VideoIntelligenceError("invalid_signature", message)


def _is_recent(timestamp: str, now: float) -> bool:
    try:
        return abs(now - float(timestamp)) <= TOLERANCE_SECONDS
    except ValueError:
        return False


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise _invalid("The secret is not one of a webhook: whsec_ and base64.")
    return key
