"""The browsers that curl_cffi imitates. A platform may refuse one of them for weeks; then the next is tried."""

from yt_dlp.networking.impersonate import ImpersonateTarget

# TikTok refused the newest Chrome of a release, and let in the older one (yt-dlp#17604)
TURNS = ("chrome", "safari", "chrome-146", "firefox")


class Browsers:
    def __init__(self):
        self._let_in = {}

    def in_turn(self, platform, ydl):
        """Makes yt-dlp imitate one browser after the other, beginning with the one that the platform last let in.
        Yields curl_cffi's name of each; None if curl_cffi is missing or has none of them. A browser that succeeds is
        used first next time. If none does, the next request begins with the newest again."""
        handler = ydl._request_director.handlers.get("CurlCFFI")
        names = handler._SUPPORTED_IMPERSONATE_TARGET_MAP if handler else {}
        targets = chosen(list(names))
        if not targets:
            yield None
            return
        first = self._let_in.get(platform)
        for target in sorted(targets, key=lambda one: one != first):
            handler._resolve_target = preferring(handler, target)
            self._let_in[platform] = target
            yield names[target]
        self._let_in.pop(platform, None)


def chosen(supported):
    """The newest browser that fits each turn."""
    wanted = [ImpersonateTarget.from_str(turn) for turn in TURNS]
    fitting = [next((one for one in supported if one in target), None) for target in wanted]
    return list(dict.fromkeys(one for one in fitting if one is not None))


def preferring(handler, preferred):
    """Resolves targets that fit the preferred browser to it, and others as before."""

    def resolve(wanted):
        if wanted is not None and preferred in wanted:
            return preferred
        return type(handler)._resolve_target(handler, wanted)

    return resolve
