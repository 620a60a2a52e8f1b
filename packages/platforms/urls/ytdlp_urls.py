"""What the installed yt-dlp says about URLs, for a test: its own test URLs for five platforms, and the
extractors that would read the given URLs. Takes {"allowed": [patterns of extractors], "urls": [...]} on stdin, writes
{"tests", "readings"}."""

import json
import os
import re
import sys

os.environ["YTDLP_NO_LAZY_EXTRACTORS"] = "1"  # lazy ones have no tests

from yt_dlp.extractor import gen_extractor_classes  # noqa: E402

PLATFORMS = {"youtube", "tiktok", "instagram", "twitter", "facebook"}


def id_in(extractor, url):
    """The id that an extractor finds in a URL; None for extractors of pages without one."""
    return extractor._match_valid_url(url).groupdict().get("id")


def tests_of(extractor):
    for test in extractor.get_testcases(include_onlymatching=True):
        info = test.get("info_dict") or {}
        ids = (info.get("id"), info.get("display_id"), id_in(extractor, test["url"]))
        yield {"url": test["url"], "ids": [one for one in ids if one]}


def reading(extractors, url):
    for extractor in extractors:
        if extractor.suitable(url):
            return {"extractor": extractor.IE_NAME, "id": id_in(extractor, url)}
    return None


asked = json.load(sys.stdin)
every = gen_extractor_classes()
allowed = [one for one in every if any(re.fullmatch(name, one.IE_NAME.lower()) for name in asked["allowed"])]
ours = [one for one in every if PLATFORMS & set(one.__module__.split("."))]
json.dump(
    {
        "tests": [test for extractor in ours for test in tests_of(extractor)],
        "readings": [reading(allowed, url) for url in asked["urls"]],
    },
    sys.stdout,
)
