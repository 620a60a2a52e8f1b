"""Trims yt-dlp's info dictionary for the service: no signed address, no header, no cookie, except in
yt-dlp's unchanged warnings. Run by itself it trims one dictionary from standard input."""

import re

FIELDS = (
    "id",
    "display_id",
    "title",
    "description",
    "channel",
    "channel_id",
    "uploader",
    "uploader_id",
    "duration",
    "view_count",
    "like_count",
    "comment_count",
    "repost_count",
    "thumbnail",
    "timestamp",
    "upload_date",
    "live_status",
    "language",
    "tags",
)
OF_FORMAT = (
    "format_id",
    "ext",
    "vcodec",
    "acodec",
    "width",
    "height",
    "filesize",
    "filesize_approx",
    "tbr",
    "language",
    "language_preference",
    "protocol",
)
OF_CHAPTER = ("start_time", "end_time", "title")
# Pictures, and chats
NO_MEDIA = "mhtml"
NO_CAPTIONS = ("live_chat", "danmaku", "rechat")
# YouTube's human captions. yt-dlp also lists them, and their translations, as automatic: German from English is
# `de-en`
WRITTEN = re.compile(r"/api/timedtext\?(?!.*\bkind=asr\b)(?:.*&)?lang=([^&]+)")


def trimmed(info):
    told = {name: info.get(name) for name in FIELDS}
    if (told["title"] or "").lower() == made_up_title(info):
        told["title"] = None
    return {
        **told,
        "formats": [{name: one.get(name) for name in OF_FORMAT} for one in formats_of(info)],
        "captions": captions_of(info),
        "chapters": [{name: one.get(name) for name in OF_CHAPTER} for one in info.get("chapters") or ()],
        "warnings": info.get("_warnings") or [],
    }


def made_up_title(info):
    """The title that yt-dlp makes up for a video without one."""
    return f"{info.get('extractor', '').replace(':', '-')} video #{info.get('id')}".lower()


def formats_of(info):
    return [one for one in info.get("formats") or () if one.get("protocol") != NO_MEDIA and not one.get("has_drm")]


def has_video(info):
    return any(one.get("vcodec") != "none" for one in formats_of(info))


def captions_of(info):
    tracks = {}
    for track, entry in entries_of(info):
        tracks.setdefault(track, []).append(entry.get("ext"))
    names = ("language", "automatic", "translated")
    return [{**dict(zip(names, track)), "exts": exts} for track, exts in tracks.items()]


def caption_entry(info, language, automatic, ext):
    """The entry of a track, or None. Prefers entries without machine translation, then those that name the language in
    their URL as YouTube does."""
    wanted = [
        (translated, f"tlang={language}&" not in f"{entry.get('url')}&", entry)
        for (named, made, translated), entry in entries_of(info)
        if (named, made, entry.get("ext")) == (language, automatic, ext)
    ]
    return min(wanted, key=lambda one: one[:2])[2] if wanted else None


def entries_of(info):
    """Each caption entry with its track: (language, automatic, translated)."""
    for automatic, name in ((False, "subtitles"), (True, "automatic_captions")):
        for language, entries in (info.get(name) or {}).items():
            if language in NO_CAPTIONS:
                continue
            for entry in entries or ():
                url = entry.get("url") or ""
                source = entry.get("source")  # see tiktok_captions.py
                translated = source == "MT" or "tlang=" in url
                written = WRITTEN.search(url) if automatic else None
                if written and not translated:
                    continue  # a duplicate such as `de-de`, which looks like a region
                spoken = language.partition(f"-{written[1]}")[0] if written else language
                yield (spoken, automatic or source in ("ASR", "MT"), translated), entry


if __name__ == "__main__":
    import json
    import sys

    json.dump(trimmed(json.load(sys.stdin)), sys.stdout)
