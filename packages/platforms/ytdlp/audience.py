"""Refuses what only the operator's account may see, because answers go to every customer. Without cookies a platform
itself refuses these, with messages that failure.ts treats the same way."""

import re

from yt_dlp.extractor.facebook import FacebookIE
from yt_dlp.extractor.instagram import InstagramBaseIE
from yt_dlp.extractor.tiktok import TikTokBaseIE
from yt_dlp.extractor.twitter import TwitterIE
from yt_dlp.utils import ExtractorError, traverse_obj

FOLLOWERS = "reader: only followers may see it"
MEMBERS = "reader: only members may see it"
AUDIENCE = re.compile(r'"privacy_scope":\{[^{}]*"icon_image":\{"name":"([\w-]+)"')
# yt-dlp's `availability`; adult or unlisted videos are not limited to single accounts
OF_YOUTUBE = {"private": FOLLOWERS, "subscriber_only": MEMBERS, "premium_only": MEMBERS}


def check(info):
    refuse(OF_YOUTUBE.get(info.get("availability")))


def keep_to_the_public():
    """Makes the extractors refuse posts for a closed circle. A later yt-dlp without one of these methods cannot be
    used: it would give such posts to customers."""
    refuse_before(TikTokBaseIE, "_parse_aweme_video_web", of_tiktok)
    refuse_before(InstagramBaseIE, "_extract_product", of_instagram)
    refuse_after(TwitterIE, "_extract_status", of_x)
    refuse_after(FacebookIE, "_download_webpage", of_facebook)


def of_tiktok(item):
    closed = item.get("privateItem") or item.get("secret") or item.get("forFriend")
    return FOLLOWERS if closed or traverse_obj(item, ("author", ("privateAccount", "secret"), {bool}, any)) else None


def of_instagram(product):
    product = product[0] if isinstance(product, list) else product
    if traverse_obj(product, ("user", "is_private")):
        return FOLLOWERS
    # `besties`: close friends
    return MEMBERS if product.get("audience") else None


def of_x(status):
    return FOLLOWERS if traverse_obj(status, ("user", "protected")) else None


def of_facebook(page):
    """The audience of the first story, which is the requested one: `everyone` for public ones."""
    scope = AUDIENCE.search(page or "")
    return FOLLOWERS if scope and scope[1] != "everyone" else None


def refuse_before(extractor, method, reason_of):
    read = getattr(extractor, method)

    def public(self, data, *more, **named):
        refuse(reason_of(data))
        return read(self, data, *more, **named)

    setattr(extractor, method, public)


def refuse_after(extractor, method, reason_of):
    read = getattr(extractor, method)

    def public(self, *more, **named):
        found = read(self, *more, **named)
        refuse(reason_of(found))
        return found

    setattr(extractor, method, public)


def refuse(reason):
    if reason:
        raise ExtractorError(reason, expected=True)
