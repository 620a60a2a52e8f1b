import base64
import hashlib
import hmac
from email.message import Message

import pytest

from video_intelligence import VideoIntelligenceError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_790_000_000
BODY = b'{"type":"ping","timestamp":"2026-09-21T00:00:00.000Z","data":{"webhookId":"w"}}'


def signed(*secrets, timestamp=str(NOW)):
    def tag(secret):
        key = base64.b64decode(secret.removeprefix("whsec_"))
        made = hmac.new(key, f"d1.{timestamp}.".encode() + BODY, hashlib.sha256).digest()
        return f"v1,{base64.b64encode(made).decode()}"

    tags = " ".join(tag(secret) for secret in secrets or (SECRET,))
    return {"webhook-id": "d1", "webhook-timestamp": timestamp, "webhook-signature": tags}


def test_a_message_is_verified_with_headers_in_any_case_and_while_two_secrets_sign():
    assert verify_webhook(BODY, signed(), SECRET, now=NOW)["type"] == "ping"
    headers = Message()
    for name, value in signed("whsec_b25l", SECRET).items():
        headers[name.title()] = value
    assert verify_webhook(BODY.decode(), headers, SECRET, now=NOW)["type"] == "ping"


@pytest.mark.parametrize(
    ("body", "headers", "secret", "why"),
    [
        (BODY.replace(b"ping", b"pong"), signed(), SECRET, "does not fit"),
        (BODY, signed(), "whsec_b25l", "does not fit"),
        (BODY, {**signed(), "webhook-signature": "v1,ä v2,x"}, SECRET, "does not fit"),
        (BODY, {}, SECRET, "webhook-id"),
        (BODY, signed(), "not base64!", "whsec_"),
        (BODY, signed(), "whsec_", "whsec_"),
        (BODY, signed(timestamp=str(NOW - 301)), SECRET, "five minutes"),
        (BODY, signed(timestamp="x"), SECRET, "five minutes"),
        (BODY, signed(timestamp="nan"), SECRET, "five minutes"),
    ],
)
def test_a_message_is_refused(body, headers, secret, why):
    with pytest.raises(VideoIntelligenceError, match=why) as raised:
        verify_webhook(body, headers, secret, now=NOW)
    assert raised.value.code == "invalid_signature"
