"""Parameters of the calls that read. They have Python names: ``key_id`` is sent as ``keyId``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

VideoPlatform: TypeAlias = Literal["youtube", "tiktok", "instagram", "x", "facebook"]


class SearchQuestion(TypedDict):
    q: str
    platform: NotRequired[VideoPlatform]
    limit: NotRequired[int]
    cursor: NotRequired[str]


class ProfileQuestion(TypedDict, total=False):
    """``username`` or ``url``."""

    username: str
    url: str
    limit: int
    cursor: str


class PlaylistQuestion(TypedDict, total=False):
    """``url`` or ``id``. ``cursor``: the ``nextCursor`` of the previous page."""

    url: str
    id: str
    limit: int
    cursor: str


class ChannelQuestion(PlaylistQuestion, total=False):
    """``url``, ``handle`` or ``id``."""

    handle: str
    type: Literal["videos", "shorts", "lives"]


class JobsQuestion(TypedDict, total=False):
    kind: Literal["transcript", "extraction"]
    status: Literal["queued", "completed", "failed"]
    platform: VideoPlatform | Literal["direct"]
    surface: Literal["api", "mcp", "dashboard", "batch", "watch"]
    domain: str
    key_id: str
    idempotency_key: str
    #: Times in RFC 3339.
    created_after: str
    created_before: str
    cursor: str
    limit: int


class UsageQuestion(TypedDict, total=False):
    """Days (UTC) such as 2026-01-31."""

    from_: str
    to: str
    group_by: Literal["day", "operation", "key", "platform"]


class KeyLimits(TypedDict, total=False):
    scopes: list[Literal["read", "jobs", "keys", "webhooks"]]
    monthly_credits: int
    expires_at: str


def sent(question: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters under the service's names."""
    return {re.sub(r"_([a-z])", lambda part: part[1].upper(), name).rstrip("_"): question[name] for name in question}
