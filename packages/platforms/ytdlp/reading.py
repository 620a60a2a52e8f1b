"""Reads videos with yt-dlp: long-lived instances, what they resolved, and downloads by the same instance."""

import os
import re
import shutil
import time
from collections import OrderedDict
from itertools import count, islice

import audience
import tiktok_captions
import yt_dlp
from browsers import Browsers
from pages import Pages
from trim import caption_entry, has_video, trimmed
from x_syndication import also_embedded
from yt_dlp.globals import plugin_dirs
from yt_dlp.networking.impersonate import ImpersonateTarget
from yt_dlp.utils import DownloadCancelled, YoutubeDLError

MAX_INSTANCES = 4
MAX_RESOLVED = 16
RESOLVED_SECONDS = 240
MAX_ENTRIES = 10
MAX_CAPTION_BYTES = 8 * 1024 * 1024
MAX_WARNINGS = 100
MAX_WARNING_CHARACTERS = 2000
# yt-dlp reads blocks of at most 4 MiB, and reports each after writing it
AHEAD_BYTES = 4 * 1024 * 1024
# The first token takes a few seconds, later ones much less
TOKEN_SECONDS = 10
# The parameter of a YoutubeDL for the exit that its tokens are minted through
TOKEN_EXIT = "token_exit"
# The answers of a signed address that has expired
EXPIRED = re.compile(r"HTTP Error (403|404|410)")
REFUSED = re.compile(r"HTTP Error (?:403|429)")
UNEXPECTED = "please report this issue"
# What yt-dlp says if TikTok sent a page for browsers in place of the video's
UNEXPECTED_PAGE = "Unexpected response from webpage request"
# What yt-dlp says of a picture among the parts of a post
NO_FORMATS = "No video formats found"
NOT_ENDED = ("is_live", "is_upcoming", "post_live")


class Refused(DownloadCancelled):
    """Ends a request, even in the middle of a download."""


class Listener:
    """Keeps the warnings of one request for the service, which decides what is missing from the result. They contain
    signed addresses. Drops the rest of yt-dlp's log."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.warnings = []
        self.more = 0

    def debug(self, _):
        pass

    info = debug

    def warning(self, message):
        if len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(str(message)[:MAX_WARNING_CHARACTERS])
        else:
            self.more += 1

    # yt-dlp continues after some errors; an error that ends the request is also raised
    error = warning

    def take(self, raised=None):
        """All warnings of the request that ends now, without the error that it raised."""
        taken = [one for one in self.warnings if raised is None or one not in str(raised)]
        if self.more:
            taken.append(f"reader: {self.more} more warnings")
        self.reset()
        return taken


class Instance:
    """One yt-dlp for one platform and egress route, with its cookies and what it has resolved."""

    def __init__(self, ydl, state, pages, browsers):
        self.ydl = ydl
        self.state = state
        self.pages = pages
        self._browsers = browsers
        self._resolved = OrderedDict()

    def close(self):
        self.pages.close()
        self.ydl.close()

    def resolve(self, url):
        """The info dictionary, and whether an earlier request resolved it."""
        known = self._resolved.get(url)
        if known and known[0] > time.monotonic():
            return known[1], True
        listener = self.ydl.params["logger"]
        before = len(listener.warnings)
        info = self._first_video(url)
        audience.check(info)
        info["_warnings"] = listener.warnings[before:]
        self._resolved[url] = (time.monotonic() + RESOLVED_SECONDS, info)
        self._resolved.move_to_end(url)
        if len(self._resolved) > MAX_RESOLVED:
            self._resolved.popitem(last=False)
        return info, False

    def forget(self, url):
        self._resolved.pop(url, None)

    def _first_video(self, url):
        """Tries one browser after the other, while the platform answers with an unexpected page."""
        for _ in self._browsers.in_turn(self.pages.platform, self.ydl):
            try:
                return first_video(self.ydl, url)
            except YoutubeDLError as error:
                if UNEXPECTED_PAGE not in str(error):
                    raise
                refused = error
        raise refused

    def using(self, url, use):
        """Calls `use` with the info dictionary, and again with a new one if its addresses have expired."""
        info, is_old = self.resolve(url)
        try:
            return use(info)
        except Exception as error:
            if not is_old or not EXPIRED.search(str(error)):
                raise
        self.forget(url)
        return use(self.resolve(url)[0])


class Reader:
    def __init__(self, settings, reserve, tell):
        self._settings = settings
        self._reserve = reserve
        self._tell = tell
        self._instances = OrderedDict()
        self._numbers = count()
        self._browsers = Browsers()
        load_plugins(settings["potUrl"])
        tiktok_captions.keep_sources()
        audience.keep_to_the_public()

    def answer(self, request):
        if request["op"] == "page":
            return self._instance(request).pages.read(request, self._browsers)
        # Only canonical URLs of our own parser: yt-dlp would take a name such as `ytsearch5:cats` for a command
        if not re.fullmatch(self._settings["pages"][request["platform"]], request["url"], re.ASCII):
            raise Refused("reader: no canonical URL")
        instance = self._instance(request)
        operations = {"info": self._info, "captions": self._captions, "media": self._media}
        listener = instance.ydl.params["logger"]
        raised = None
        try:
            return operations[request["op"]](instance, request)
        except YoutubeDLError as error:
            raised = error
            # YouTube's 429 ends as "Failed to extract any player response"
            refusals = REFUSED.findall(" ".join(listener.warnings))
            if not refusals or UNEXPECTED not in str(error):
                raise
            raise Refused(f"{error} after {refusals[-1]}") from error
        finally:
            self._tell(request, listener.take(raised))

    def _info(self, instance, request):
        """Always resolves again: the service asks only if it has no result, or an incomplete one."""
        instance.forget(request["url"])
        return trimmed(instance.resolve(request["url"])[0])

    def _captions(self, instance, request):
        def download(info):
            entry = caption_entry(info, request["language"], request["automatic"], request["ext"])
            if entry is None:
                raise Refused("reader: no such captions")
            if entry.get("data") is not None:
                return entry["data"]
            headers = entry.get("http_headers") or info.get("http_headers")
            path = os.path.abspath("captions.tmp")
            try:
                fetch(instance.ydl, path, {**entry, "http_headers": headers}, Quota(MAX_CAPTION_BYTES))
                with open(path, encoding="utf-8", errors="replace") as file:
                    return file.read()
            finally:
                remove(path)

        return instance.using(request["url"], download)

    def _media(self, instance, request):
        def download(info):
            if info.get("live_status") in NOT_ENDED:
                raise Refused("reader: live and not ended")
            chosen = next((one for one in info["formats"] if one["format_id"] == request["formatId"]), None)
            if chosen is None:
                raise Refused("reader: no such format")
            expected = chosen.get("filesize") or 0
            quota = Quota(request["maxBytes"], expected, lambda size: self._reserve(request, size))
            entry = {name: value for name, value in info.items() if name not in ("formats", "requested_formats")}
            fetch(instance.ydl, request["path"], {**entry, **chosen}, quota)
            return os.path.getsize(request["path"])

        return instance.using(request["url"], download)

    def _instance(self, request):
        key = (request["platform"], request["proxy"])
        state = (request["generation"], request["cookies"])
        found = self._instances.pop(key, None)
        if found and found.state != state:
            found.close()
            found = None
        self._instances[key] = found or self._new_instance(request, state)
        if len(self._instances) > MAX_INSTANCES:
            _, oldest = self._instances.popitem(last=False)
            oldest.close()
        return self._instances[key]

    def _new_instance(self, request, state):
        ydl, platform = self._open(request), request["platform"]
        pages = Pages(ydl, platform, request["proxy"], self._settings["hosts"][platform])
        return Instance(ydl, state, pages, self._browsers)

    def _open(self, request):
        settings = self._settings
        options = {
            "quiet": True,
            "no_warnings": True,
            "noprogress": True,
            "logger": Listener(),
            "color": {"stdout": "never", "stderr": "never"},
            "proxy": request["proxy"],
            "cachedir": os.path.abspath("cache"),
            "cookiefile": self._own_cookies(request) if request["cookies"] else None,
            "impersonate": ImpersonateTarget() if needs_browser(request) else None,
            "allowed_extractors": settings["extractors"],
            "noplaylist": True,
            "format": "best*",
            "writesubtitles": True,
            "writeautomaticsub": True,
            "socket_timeout": 10,
            "retries": 1,
            "extractor_retries": 1,
            "fragment_retries": 1,
            "file_access_retries": 0,
            "skip_unavailable_fragments": False,
            "external_downloader": {"default": "native"},
            "ffmpeg_location": os.path.abspath("no-ffmpeg"),
            "js_runtimes": {"node": {"path": settings["node"]}},
            "extractor_args": token_arguments(settings["potUrl"]),
            TOKEN_EXIT: request["exit"],
            "nopart": True,
            "continuedl": False,
            "overwrites": True,
            "updatetime": False,
            "_no_ytdl_file": True,
        }
        return yt_dlp.YoutubeDL(options, auto_init="no_verbose_header")

    def _own_cookies(self, request):
        """A copy, because yt-dlp writes its cookies back and must not change the operator's file."""
        own = os.path.abspath(f"cookies-{request['platform']}-{next(self._numbers)}.txt")
        shutil.copyfile(os.path.join(self._settings["cookiesDirectory"], f"{request['platform']}.txt"), own)
        return own


class Quota:
    """Counts what a download writes, and asks for room before it is written."""

    def __init__(self, max_bytes, expected=0, reserve=None):
        self._max = max_bytes
        self._expected = expected
        self._reserve = reserve
        self._reserved = 0
        self.finished = False

    def on_progress(self, progress):
        written = progress.get("downloaded_bytes") or 0
        expected = progress.get("total_bytes") or self._expected
        if max(written, expected) > self._max:
            raise Refused("reader: too many bytes")
        self.finished = progress.get("status") == "finished"
        ahead = 0 if self.finished else AHEAD_BYTES
        self.ask_for(max(written, min(written + ahead, expected or self._max)))

    def ask_for(self, size):
        if self._reserve and size > self._reserved:
            self._reserve(size)
            self._reserved = size


def fetch(ydl, path, entry, quota):
    """Downloads one entry with yt-dlp's own downloaders."""
    ydl._progress_hooks = [quota.on_progress]
    remove(path)  # else fragments would be appended to the file of an earlier attempt
    try:
        quota.on_progress({})
        succeeded, _ = ydl.dl(path, entry)
    finally:
        ydl._progress_hooks = []
    # for captions in fragments yt-dlp does not return a result
    if not (succeeded or (succeeded is None and quota.finished)):
        raise Refused("reader: the download failed")


@also_embedded
def first_video(ydl, url):
    found = ydl.extract_info(url, download=False, process=False)
    if not found:
        raise Refused("reader: nothing found")
    if found.get("_type") not in ("playlist", "multi_video", "compat_list"):
        return with_video(ydl.process_ie_result(found, download=False))
    shared = {name: found.get(name) for name in ("extractor", "extractor_key", "webpage_url", "original_url")}
    failure = None
    for entry in islice(found.get("entries") or (), MAX_ENTRIES):
        try:
            info = ydl.process_ie_result(entry, download=False, extra_info=shared)
        except YoutubeDLError as error:
            if NO_FORMATS not in str(error):
                failure = failure or error
            continue
        if info and has_video(info):
            return info
    raise failure or Refused("reader: no video in the post")


def with_video(info):
    if not info:
        raise Refused("reader: nothing found")
    if info.get("live_status") not in NOT_ENDED and not has_video(info):
        raise Refused("reader: no video in the post")
    return info


def load_plugins(pot_url):
    """Loads only the plugin that fetches proof tokens, and only if its service is configured."""
    plugin_dirs.value = [os.path.dirname(os.path.dirname(os.path.dirname(yt_dlp.__file__)))] if pot_url else []
    if not pot_url:
        return
    import dataclasses

    from yt_dlp.extractor.youtube.pot.provider import PoTokenProviderError
    from yt_dlp.networking.exceptions import TransportError
    from yt_dlp.plugins import load_all_plugins

    load_all_plugins()
    from yt_dlp_plugins.extractor.getpot_bgutil_http import BgUtilHTTPPTP

    ask = BgUtilHTTPPTP._real_request_pot

    def mint(provider, request):
        """Requests a token that is minted through the exit that will use it. That is not our own proxy, which listens
        only on this machine's loopback, and has a password in its URL."""
        try:
            return ask(provider, dataclasses.replace(request, request_proxy=provider.ie.get_param(TOKEN_EXIT)))
        except PoTokenProviderError as error:
            if isinstance(error.__cause__, TransportError):
                # as the plugin does if /ping fails: else every token of every video would wait for a service that
                # hangs
                provider._server_available, provider._last_server_check = False, time.time()
            raise

    BgUtilHTTPPTP._GETPOT_TIMEOUT = TOKEN_SECONDS
    BgUtilHTTPPTP._real_request_pot = mint


def needs_browser(request):
    """Facebook shows videos to an account only in a browser, and there yt-dlp does not imitate one by itself."""
    return request["platform"] == "facebook" and request["cookies"]


def token_arguments(pot_url):
    """Makes yt-dlp request a token for the player, which lets a visitor past the bot check. By default it requests
    none."""
    if not pot_url:
        return {}
    return {"youtube": {"fetch_pot": ["always"]}, "youtubepot-bgutilhttp": {"base_url": [pot_url]}}


def remove(path):
    if os.path.exists(path):
        os.remove(path)
