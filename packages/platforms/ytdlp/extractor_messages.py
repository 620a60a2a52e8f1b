"""Prints, as JSON, the error messages that yt-dlp's extractors for our platforms can raise, from its source: {class:
[message]}. `{}` stands for parts that are known only at run time."""

import ast
import json

from source_texts import called, parsed, templates

FILES = [
    f"extractor/{name}.py" for name in ("common", "tiktok", "instagram", "twitter", "facebook", "youtube/_*")
]
ERRORS = {"ExtractorError", "GeoRestrictedError", "RegexNotFoundError", "UserNotLive", "UnsupportedError"}
HELPERS = {"raise_login_required", "raise_geo_restricted", "raise_no_formats"}
# Their errors are expected, whatever the call says
EXPECTED = {"raise_login_required", "raise_geo_restricted", "GeoRestrictedError", "UserNotLive", "UnsupportedError"}
# What yt-dlp appends to an unexpected error
UNEXPECTED = "; please report this issue"
LENGTH = 90
# Errors without their own message
DEFAULTS = {
    "raise_login_required": "This video is only available for registered users",
    "raise_geo_restricted": "This video is not available from your location due to geo restriction",
    "UserNotLive": "The channel is not currently live",
}


def suffix(call):
    expected = next((word.value for word in call.keywords if word.arg == "expected"), None)
    return "" if expected or called(call) in EXPECTED else UNEXPECTED


def messages_in(tree):
    for owner in tree.body:
        if not isinstance(owner, ast.ClassDef):
            continue
        for function in owner.body:
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and called(call) in ERRORS | HELPERS:
                    texts = templates(call.args[0], function) if call.args else [DEFAULTS[called(call)]]
                    yield from ((owner.name, text[:LENGTH] + suffix(call)) for text in texts)


found = {}
for _, tree in parsed(FILES):
    for owner, message in messages_in(tree):
        found.setdefault(owner, set()).add(message)
print(json.dumps({owner: sorted(messages) for owner, messages in found.items()}, sort_keys=True))
