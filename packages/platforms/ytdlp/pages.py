"""Requests to a platform's own pages and interfaces, as a browser makes them: through curl_cffi, with the cookies of
the yt-dlp instance for the same platform and egress route."""

import time
import urllib.parse

from curl_cffi import CurlOpt, requests
from proof_of_work import proof_for

MAX_REDIRECTS = 5
WAIT_SECONDS = 10
PROOF_SECONDS = 60
REDIRECTS = (301, 302, 303, 307, 308)


class PageError(Exception):
    """Ends a request for a page."""


class Pages:
    def __init__(self, ydl, platform, proxy, hosts):
        self._ydl = ydl
        self.platform = platform
        self._hosts = tuple(f".{host}" for host in hosts)
        self._session = requests.Session(cookies=ydl.cookiejar, proxy=proxy)

    def close(self):
        self._session.close()

    def read(self, request, browsers):
        """The answer as {status, url, location, text}. If a whole page lacks its mark, the next browser asks. A proof
        of work is done once."""
        ends_at = time.monotonic() + request["seconds"]
        proved = False
        for browser in browsers.in_turn(self.platform, self._ydl):
            page = PageRequest(request, browser, ends_at)
            answer = self._follow(page)
            proof = {} if proved or self.platform != "tiktok" else proof_for(answer["text"])
            if proof:
                proved = True
                answer = self._with_cookies(proof, page)
            if not is_unexpected(answer, request):
                break
        return answer

    def _with_cookies(self, cookies, page):
        extractor = self._ydl.get_info_extractor("TikTok")
        for name, value in cookies.items():
            extractor._set_cookie(".tiktok.com", name, value, expire_time=int(time.time()) + PROOF_SECONDS)
        try:
            return self._follow(page)
        finally:
            for name in cookies:
                self._forget(name)

    def _forget(self, name):
        """A cookie answers one challenge only. The platform may have removed it already."""
        for cookie in [one for one in self._ydl.cookiejar if one.name == name]:
            self._ydl.cookiejar.clear(cookie.domain, cookie.path, name)

    def _follow(self, page):
        """A redirect away from the platform is returned, not followed."""
        url = page.request["url"]
        if not self._is_own(url):
            raise PageError("reader: no page of the platform")
        for _ in range(MAX_REDIRECTS + 1):
            answer = self._fetch(url, page)
            target = answer["location"] and urllib.parse.urljoin(url, answer["location"])
            if not target or not page.request["follow"] or not self._is_own(target):
                return answer
            url = target
        raise PageError("reader: too many redirects")

    def _is_own(self, url):
        """The proxy refuses addresses inside our network; this allows only the platform's hosts."""
        parts = urllib.parse.urlsplit(url)
        return parts.scheme == "https" and f".{parts.hostname}".endswith(self._hosts)

    def _fetch(self, url, page):
        request = page.request
        # the timeouts of one streamed answer bound only its silences, not the whole answer
        self._session.curl_options = {CurlOpt.TIMEOUT_MS: int(page.seconds_left() * 1000)}
        response = self._session.request(
            request["method"],
            url,
            headers={**request["headers"], **self._authorization(request)},
            data=request["body"],
            impersonate=page.browser,
            allow_redirects=False,
            stream=True,
            timeout=(WAIT_SECONDS, WAIT_SECONDS),
        )
        try:
            status, location = response.status_code, response.headers.get("location")
            is_redirect = status in REDIRECTS and location is not None
            text = "" if is_redirect else body_of(response, page)
        finally:
            response.close()
        return {"status": status, "url": url, "location": location if is_redirect else None, "text": text}

    def _authorization(self, request):
        """YouTube's interfaces identify an account by a digest of its cookies."""
        if self.platform != "youtube" or not request["cookies"]:
            return {}
        digest = self._ydl.get_info_extractor("Youtube")._get_sid_authorization_header()
        return {"Authorization": digest, "X-Origin": "https://www.youtube.com"} if digest else {}


class PageRequest:
    """One browser's turn at a request."""

    def __init__(self, request, browser, ends_at):
        self.request = request
        self.browser = browser
        self._ends_at = ends_at

    def seconds_left(self):
        left = self._ends_at - time.monotonic()
        if left < 0.001:  # libcurl takes 0 as no limit
            raise PageError("reader: the page took too long")
        return left


def is_unexpected(answer, request):
    """Whether a whole page lacks its mark. A page after a redirect, such as a login, does not count."""
    is_whole = answer["status"] == 200 and answer["url"] == request["url"]
    return is_whole and bool(request["holds"]) and request["holds"] not in answer["text"]


def body_of(response, page):
    """The body as text. Reads nothing if `pageBytes` is 0."""
    pieces, size, max_bytes = [], 0, page.request["pageBytes"]
    for piece in response.iter_content() if max_bytes else ():
        size += len(piece)
        if size > max_bytes:
            raise PageError("reader: too large a page")
        page.seconds_left()
        pieces.append(piece)
    return b"".join(pieces).decode("utf-8", "replace")
