"""The texts of expressions in yt-dlp's source. `{}` stands for parts that are known only at run time."""

import ast
import glob
import os

import yt_dlp

FOLDER = os.path.dirname(yt_dlp.__file__)
# Their first argument begins the text
JOINING = ("bug_reports_message", "join_nonempty")


def parsed(patterns):
    """The files that match a pattern, each as its path and its tree."""
    for pattern in patterns:
        for path in glob.glob(os.path.join(FOLDER, pattern)):
            with open(path, encoding="utf-8") as file:
                yield path, ast.parse(file.read())


def called(call):
    return getattr(call.func, "attr", None) or getattr(call.func, "id", None)


def takes_keys(call):
    return any(word.arg == "from_dict" for word in call.keywords)


def templates(node, function=None):
    """The texts that an expression may have. A name stands for all that `function` assigns to it."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)]
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in templates(value, function)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [one + more for one in templates(node.left, function) for more in templates(node.right)]
    if isinstance(node, ast.Call) and called(node) in ("format", "capitalize"):
        return templates(getattr(node.func, "value", None), function)
    if isinstance(node, ast.Call) and called(node) in JOINING and node.args and not takes_keys(node):
        return templates(node.args[0], function)
    if isinstance(node, ast.Name) and function:
        return [text for value in assigned(node.id, function) for text in templates(value)] or ["{}"]
    return ["{}"]


def assigned(name, function):
    """The values that a function assigns to a name."""
    for node in ast.walk(function):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AugAssign) and any(getattr(one, "id", None) == name for one in targets):
            yield node.value
