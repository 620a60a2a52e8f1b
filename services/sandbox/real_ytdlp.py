"""Reads videos with the real yt-dlp in this one process, for tests of the sandbox: wishes as JSON on stdin, results as
JSON on stdout."""
import json
import os
import sys

wish = json.load(sys.stdin)
for name in ('SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE'):
    os.environ[name] = wish['caFile']

import yt_dlp  # noqa: E402  (reads the variables above)
from yt_dlp.networking import Request  # noqa: E402

warnings = []


class Log:
    def debug(self, message):
        pass

    def warning(self, message):
        warnings.append(message)

    def error(self, message):
        pass


def text_of(ydl, info, kind, language, ext):
    track = next(one for one in info[kind][language] if one['ext'] == ext)
    extensions = {'impersonate': yt_dlp.networking.impersonate.ImpersonateTarget()} if track.get('impersonate') else {}
    headers = track.get('http_headers') or {}
    return ydl.urlopen(Request(track['url'], headers=headers, extensions=extensions)).read().decode()


def bytes_of(ydl, info, format_id):
    chosen = next(one for one in info['formats'] if one['format_id'] == format_id)
    return len(ydl.urlopen(Request(chosen['url'], headers=chosen['http_headers'])).read())


def read(ydl, asked):
    warnings.clear()
    try:
        info = ydl.sanitize_info(ydl.extract_info(asked['url'], download=False))
        texts = [text_of(ydl, info, *track) for track in asked.get('captions', [])]
        sizes = [bytes_of(ydl, info, format_id) for format_id in asked.get('formats', [])]
        return {'info': info, 'captions': texts, 'formats': sizes, 'warnings': list(warnings)}
    except Exception as error:
        return {'error': f'{type(error).__name__}: {error}', 'warnings': list(warnings)}


options = {
    'proxy': wish['proxyUrl'].replace('//', '//tests:-@'),
    'compat_opts': {'no-certifi'},
    'js_runtimes': {'node': {'path': wish['node']}},
    'noplaylist': True,
    'cachedir': False,
    'writesubtitles': True,
    'writeautomaticsub': True,
    'socket_timeout': 10,
    'retries': 0,
    'extractor_retries': 0,
    'warn_when_outdated': False,
    'logger': Log(),
}

instance = yt_dlp.YoutubeDL(options)
json.dump([read(instance, asked) for asked in wish['videos']], sys.stdout)
