from __future__ import annotations

import builtins
from typing import Any, Literal

from ..call import Call, path_of
from ..models import (
    AcceptedDelivery,
    AcceptedReplay,
    DeletedWebhook,
    NewWebhook,
    NewWebhookRequest,
    Webhook,
    WebhookChanges,
    WebhookDeliveryList,
    WebhookDetails,
    WebhookSecret,
)
from .http import AsyncHttp

ROOT = "/v1/webhooks"


class AsyncWebhooks:
    """The webhooks of an organization. Every POST is retried only after a 429, so that nothing takes effect twice."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(self) -> builtins.list[Webhook]:
        return await self._http.json(Call(ROOT))

    async def get(self, webhook_id: str) -> WebhookDetails:
        return await self._http.json(Call(path_of(ROOT, webhook_id)))

    async def create(self, body: NewWebhookRequest) -> NewWebhook:
        """Returns the webhook with its secret, which is never shown again."""
        return await self._post(ROOT, body)

    async def change(self, webhook_id: str, body: WebhookChanges) -> WebhookDetails:
        return await self._http.json(Call(path_of(ROOT, webhook_id), "PATCH", body=body))

    async def delete(self, webhook_id: str) -> DeletedWebhook:
        return await self._http.json(Call(path_of(ROOT, webhook_id), "DELETE"))

    async def rotate(self, webhook_id: str) -> WebhookSecret:
        """Replaces the secret. For a day messages are signed with both."""
        return await self._post(path_of(ROOT, webhook_id, "rotate"))

    async def make_secret(self) -> WebhookSecret:
        """Creates or replaces the secret that signs deliveries to the ``webhookUrl`` of jobs."""
        return await self._post(f"{ROOT}/secret")

    async def ping(self, webhook_id: str) -> AcceptedDelivery:
        """Sends a message to test the webhook."""
        return await self._post(path_of(ROOT, webhook_id, "ping"))

    async def deliveries(
        self,
        webhook_id: str,
        *,
        status: Literal["open", "delivered", "failed", "dropped"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> WebhookDeliveryList:
        """One page of its messages, newest first."""
        query = {"status": status, "cursor": cursor, "limit": limit}
        path = path_of(ROOT, webhook_id, "deliveries")
        return await self._http.json(Call(path, query=query))

    async def redeliver(self, webhook_id: str, delivery_id: str) -> AcceptedDelivery:
        path = path_of(ROOT, webhook_id, "deliveries", delivery_id, "redeliver")
        return await self._post(path)

    async def replay(self, webhook_id: str, since: str) -> AcceptedReplay:
        """Sends all messages again since an instant (RFC 3339)."""
        return await self._post(path_of(ROOT, webhook_id, "replay"), {"from": since})

    async def _post(self, path: str, body: Any = None) -> Any:
        return await self._http.json(Call(path, "POST", body=body, repeatable=False))
