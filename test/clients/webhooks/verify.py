"""
Verifies a message with `standardwebhooks` of PyPI, with each of its secrets. Argument: a file with a SignedMessage. Prints
`verified` if both secrets verify it, and neither verifies a changed body.
"""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

with open(sys.argv[1], encoding="utf-8") as file:
    message = json.load(file)

for secret in message["secrets"]:
    webhook = Webhook(secret)
    assert webhook.verify(message["body"], message["headers"])["type"] == "ping"
    try:
        webhook.verify(message["body"].replace("ping", "pong"), message["headers"])
    except WebhookVerificationError:
        continue
    raise AssertionError("a changed body is taken")

print("verified")
