"""Solves TikTok's challenge page, which asks a browser to find a number by trying. yt-dlp's extractor solves it only
for videos."""

import base64
import hashlib
import json

from yt_dlp.utils import extract_attributes, get_element_html_by_id

# About a second of work
MAX_TRIES = 1_000_001


def proof_for(html):
    """The cookies that answer the challenge of a page. Empty if there is no challenge, or it cannot be solved."""
    try:
        challenge = json.loads(base64.b64decode(class_of(html, "cs") + "==="))
        start = hashlib.sha256(base64.b64decode(challenge["v"]["a"]))
        number = found(start, base64.b64decode(challenge["v"]["c"]))
    except (ValueError, KeyError, TypeError):
        return {}
    name = class_of(html, "wci")
    if number is None or not name:
        return {}
    answer = json.dumps({**challenge, "d": encoded(number)}, separators=(",", ":"))
    request_id = {class_of(html, "rci"): class_of(html, "rs")} if class_of(html, "rci") else {}
    return {name: encoded(answer.encode()), **request_id}


def found(start, digest):
    """The number with digits that, appended to the start, give the digest."""
    for number in range(MAX_TRIES):
        digits = b"%d" % number
        tried = start.copy()
        tried.update(digits)
        if tried.digest() == digest:
            return digits
    return None


def class_of(html, element_id):
    tag = get_element_html_by_id(element_id, html)
    return extract_attributes(tag).get("class", "") if tag else ""


def encoded(data):
    return base64.b64encode(data).decode()
