"""The client of the Video Intelligence Service. ``models`` has the types of all bodies and answers."""

from . import models
from ._async.client import AsyncVideoIntelligence
from ._sync.client import VideoIntelligence
from .error import VideoIntelligenceError
from .jobs import BatchResult, Job, Metadata, Polling
from .webhook import WebhookMessage, verify_webhook

__all__ = [
    "AsyncVideoIntelligence",
    "BatchResult",
    "Job",
    "Metadata",
    "Polling",
    "VideoIntelligence",
    "VideoIntelligenceError",
    "WebhookMessage",
    "models",
    "verify_webhook",
]
