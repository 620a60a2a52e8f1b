"""Reads English captions of YouTube videos, one after another: `contestant.py PROXY CA_FILE`. It reads one id per line
from standard input, and answers each with a line of JSON: milliseconds, and the number of caption lines."""

import json
import sys
import time

import requests
from youtube_transcript_api import YouTubeTranscriptApi
from youtube_transcript_api.proxies import GenericProxyConfig

proxy, ca_file = sys.argv[1:]
session = requests.Session()
session.verify = ca_file
api = YouTubeTranscriptApi(http_client=session, proxy_config=GenericProxyConfig(https_url=proxy))

for line in iter(sys.stdin.readline, ""):
    started = time.perf_counter()
    found = api.fetch(line.strip(), languages=["en"])
    print(json.dumps({"milliseconds": (time.perf_counter() - started) * 1000, "lines": len(found)}), flush=True)
