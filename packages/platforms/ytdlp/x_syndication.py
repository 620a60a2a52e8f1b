"""A second way to read posts of X: the interface for embedded posts, as yt-dlp's `twitter:api=syndication` uses it. It
has no view counts, and only public posts."""

import re

from yt_dlp.utils import YoutubeDLError

POSTS = "https://x.com/"
# Failures of X's API that say nothing about the post. "Dependency: Unspecified" is no failure for yt-dlp, which then
# finds no video. After a 429 yt-dlp itself requests the embedded post.
NOT_OF_THE_POST = re.compile(r"querying API|guest token|HTTP Error (?!429)|No video could be found in this tweet")


def also_embedded(read):
    """Reads a post of X the second way if X's API fails. If both fail, the first failure is raised."""

    def read_either(ydl, url):
        try:
            return read(ydl, url)
        except YoutubeDLError as error:
            if not url.startswith(POSTS) or not NOT_OF_THE_POST.search(str(error)):
                raise
            failure = error
        # Not the extractor's argument: yt-dlp reads that once for all posts, and with cookies would use the API all
        # the same
        extractor = ydl.get_info_extractor("Twitter")
        extractor._extract_status = extractor._call_syndication_api
        try:
            return read(ydl, url)
        except YoutubeDLError:
            raise failure from None
        finally:
            del extractor._extract_status

    return read_either
