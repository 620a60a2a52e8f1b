"""Prints, as JSON, the messages of errors that yt-dlp's extractors for our platforms can raise, as its source has them:
{class: [message]}, `{}` for what is known only when it runs."""

import ast
import glob
import json
import os

import yt_dlp.extractor

FOLDER = os.path.dirname(yt_dlp.extractor.__file__)
FILES = ["common.py", "tiktok.py", "instagram.py", "twitter.py", "facebook.py", "youtube/_*.py"]
ERRORS = {"ExtractorError", "GeoRestrictedError", "RegexNotFoundError", "UserNotLive", "UnsupportedError"}
HELPERS = {"raise_login_required", "raise_geo_restricted", "raise_no_formats"}
# Their errors are expected, whatever the call says
EXPECTED = {"raise_login_required", "raise_geo_restricted", "GeoRestrictedError", "UserNotLive", "UnsupportedError"}
# What yt-dlp writes behind an error that it does not expect
UNEXPECTED = "; please report this issue"
LENGTH = 90
# What is raised without a message of its own
DEFAULTS = {
    "raise_login_required": "This video is only available for registered users",
    "raise_geo_restricted": "This video is not available from your location due to geo restriction",
    "UserNotLive": "The channel is not currently live",
}


def called(call):
    return getattr(call.func, "attr", None) or getattr(call.func, "id", None)


def templates(node, function=None):
    """The texts that an expression may have. A name stands for all that `function` assigns to it."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)]
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in templates(value, function)]
    if isinstance(node, ast.Name) and function:
        return [text for value in assigned(node.id, function) for text in templates(value)] or ["{}"]
    return ["{}"]


def assigned(name, function):
    """What a function assigns to a name."""
    for node in ast.walk(function):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AugAssign) and any(getattr(one, "id", None) == name for one in targets):
            yield node.value


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
for pattern in FILES:
    for path in glob.glob(os.path.join(FOLDER, pattern)):
        with open(path, encoding="utf-8") as file:
            for owner, message in messages_in(ast.parse(file.read())):
                found.setdefault(owner, set()).add(message)
print(json.dumps({owner: sorted(messages) for owner, messages in found.items()}, sort_keys=True))
