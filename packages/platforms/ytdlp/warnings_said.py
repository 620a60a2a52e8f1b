"""Prints, as a JSON list, the warnings that yt-dlp and its plugin can give while they read a video of our platforms,
from their source. `{}` stands for parts that are known only at run time. Texts are cut."""

import ast
import json

from source_texts import assigned, called, parsed, templates

FILES = [
    "YoutubeDL.py",
    "cache.py",
    "downloader/common.py",
    "downloader/dash.py",
    "downloader/fragment.py",
    "downloader/hls.py",
    "downloader/http.py",
    "extractor/common.py",
    "extractor/facebook.py",
    "extractor/instagram.py",
    "extractor/tiktok.py",
    "extractor/twitter.py",
    "extractor/youtube/_base.py",
    "extractor/youtube/_video.py",
    "extractor/youtube/jsc/_builtin/ejs.py",
    "extractor/youtube/jsc/_builtin/node.py",
    "extractor/youtube/jsc/_director.py",
    "extractor/youtube/pot/*.py",
    "utils/_utils.py",
    "../yt_dlp_plugins/extractor/getpot_bgutil.py",
    "../yt_dlp_plugins/extractor/getpot_bgutil_http.py",
]
# The loggers of these put a name before each warning
PREFIXES = {"/jsc/": "[jsc] ", "/pot/": "[pot] ", "/getpot_": "[pot:bgutil:http] "}
# Each takes the message as its first argument, or as `msg`
GIVING = {"report_warning", "warning", "deprecated_feature", "_warn_and_raise", "_report_pot_subtitles_skipped"}
# Pages that never reach yt-dlp, and what only its command line does
NEVER_READ = {"DouyinIE", "PlaylistEntries", "SearchInfoExtractor", "TikTokLiveIE", "TikTokUserIE", "YoutubeClipIE"}
NEVER_CALLED = {
    "__init__",
    "__process_playlist",
    "_match_entry",
    "_write_link_file",
    "_write_thumbnails",
    "check_deprecated",
    "download_with_info_file",
    "get_output_path",
    "listformats",
    "parse_outtmpl",
    "post_extract",
    "post_process",
    "prepare_filename",
    "process_info",
    "report_warning",
    "validate_outtmpl",
    "warn_if_short_id",
}
LENGTH = 90


def warnings_in(function):
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        named = {word.arg: word.value for word in node.keywords}
        if called(node) in GIVING:
            given = named.get("msg") or (node.args[0] if node.args else None)
            before = "Deprecated Feature: " if called(node) == "deprecated_feature" else ""
            yield from (before + text for text in (templates(given, function) if given else []))
        # what an optional request says when it fails
        if isinstance(named.get("errnote"), ast.Constant) and named["errnote"].value:
            yield f"{named['errnote'].value}: HTTP Error {{}}"
    for value in assigned("errnote", function):
        yield from (f"{text}: HTTP Error {{}}" for text in templates(value) if text != "{}")


def functions_of(tree):
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and owner.name not in NEVER_READ:
            yield from (one for one in owner.body if isinstance(one, ast.FunctionDef))
        elif isinstance(owner, ast.FunctionDef):
            yield owner


said = set()
for path, tree in parsed(FILES):
    prefix = next((text for part, text in PREFIXES.items() if part in path), "")
    functions = [one for one in functions_of(tree) if one.name not in NEVER_CALLED]
    for text in (text for function in functions for text in warnings_in(function)):
        if text.strip("{}:. ") and text != "None":
            said.add(prefix + " ".join(text.split())[:LENGTH])
print(json.dumps(sorted(said)))
