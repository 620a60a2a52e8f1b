"""Keeps the source of TikTok's captions, recognised (ASR) or translated (MT), which yt-dlp drops."""

from yt_dlp.extractor.tiktok import TikTokBaseIE
from yt_dlp.utils.traversal import traverse_obj


def keep_sources():
    """Makes TikTok's caption entries have a `source`."""
    read = getattr(TikTokBaseIE, "_get_subtitles", None)
    if read is None:  # a later yt-dlp: captions without a source are better than none
        return

    def with_sources(self, detail, *more):
        found = read(self, detail, *more)
        infos = traverse_obj(detail, ("video", "subtitleInfos", ...), expected_type=dict)
        sources = {info.get("Url"): info.get("Source") for info in infos}
        for entries in found.values():
            for entry in entries:
                entry["source"] = sources.get(entry.get("url"))
        return found

    TikTokBaseIE._get_subtitles = with_sources
