"""A worker that reads videos with yt-dlp, and pages as a browser: one JSON request per line on standard input, one
JSON answer per line on standard output. Ends with its parent, or when standard input does. It has its own working
directory.

  {"id", "op": "info", …}                                      → {"id", "result": {…}}, see trim.py
  {"id", "op": "captions", …, "language", "automatic", "ext"}  → {"id", "result": text}
  {"id", "op": "page", …, "method", "headers", "body", "holds", "follow", "pageBytes", "seconds"}
                                                               → {"id", "result": {…}}, see pages.py
  {"id", "op": "media", …, "formatId", "path", "maxBytes"}     → {"id", "result": bytes}

Every request has "url", "platform", "proxy" (its only way out), "exit" (the proxy behind that, for minting proof
tokens, or null), "generation" (a new one means a new yt-dlp), "cookies" (whether the operator's account is used) and
"cpuSeconds". While it downloads media, the worker sends {"id", "ask": {"bytes"}} to reserve this many bytes in total,
and waits for {"id", "go"}. The answer to a failed request is {"id", "error"}. If yt-dlp gave warnings, the worker first
sends {"id", "tell": {"warnings"}}.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
import urllib.parse

PR_SET_PDEATHSIG = 1
ANY_FILE_BYTES = 64 * 1024 * 1024
# An idle Node 24 has 576 MB of data and uses 45: the space that V8 reserves for code counts as data
V8_RESERVED_BYTES = 600 * 1024 * 1024

allowed_addresses = set()
allowed_programs = set()


libc = ctypes.CDLL(None)


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def confine(settings):
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    # data, not address space: libcurl and V8 reserve far more than they use
    own = settings["memoryBytes"]
    resource.setrlimit(resource.RLIMIT_DATA, (own, own + V8_RESERVED_BYTES))

    def prepare_child():
        die_with_parent()
        resource.setrlimit(resource.RLIMIT_DATA, (own + V8_RESERVED_BYTES, own + V8_RESERVED_BYTES))

    allowed_programs.add(settings["node"])
    if settings["potUrl"]:
        allowed_addresses.add(address_of(settings["potUrl"]))
    sys.addaudithook(guard)
    start = subprocess.Popen.__init__
    subprocess.Popen.__init__ = lambda *args, **named: start(*args, **{**named, "preexec_fn": prepare_child})


def guard(event, args):
    """A second defence behind the settings of yt-dlp: Python code connects only to the proxy (libcurl is not covered)
    and starts only Node."""
    if event == "socket.connect" and args[1][:2] not in allowed_addresses:
        raise PermissionError("the worker may connect to its proxy only")
    if event == "socket.getaddrinfo" and args[0] not in {host for host, _ in allowed_addresses}:
        raise PermissionError("the worker may look up its proxy only")
    if event == "subprocess.Popen" and args[0] not in allowed_programs:
        raise PermissionError("the worker may run Node only")
    if event in ("os.system", "os.exec", "os.posix_spawn", "pty.spawn"):
        raise PermissionError("the worker may run Node only")


def address_of(url):
    parts = urllib.parse.urlsplit(url)
    return parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def prefer(packages):
    """Takes modules from this folder if it exists. Uses its real path, because a link to it may soon lead
    elsewhere."""
    if packages and os.path.isdir(packages):
        sys.path.insert(0, os.path.realpath(packages))


def trust(ca_file):
    """urllib reads trusted authorities from certifi, curl_cffi from the variable. Call it before yt-dlp is imported."""
    import certifi

    with open("authorities.pem", "wb") as bundle:
        for path in (certifi.where(), ca_file):
            with open(path, "rb") as part:
                bundle.write(part.read() + b"\n")
    path = os.path.abspath("authorities.pem")
    certifi.where = lambda: path
    os.environ["SSL_CERT_FILE"] = path


def allow(request):
    """Sets the limits of one request: more CPU time ends the worker, a larger file ends the download."""
    cpu = int(time.process_time() + request["cpuSeconds"]) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY))
    largest = max(ANY_FILE_BYTES, request.get("maxBytes", 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    settings = json.loads(sys.argv[1])
    confine(settings)
    prefer(settings["packages"])
    if settings["caFile"]:
        trust(settings["caFile"])
    from reading import Reader, Refused

    def write(answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    def reserve(request, size):
        write({"id": request["id"], "ask": {"bytes": size}})
        if not json.loads(sys.stdin.readline())["go"]:
            raise Refused("reader: stopped")

    def tell(request, warnings):
        if warnings:
            write({"id": request["id"], "tell": {"warnings": warnings}})

    reader = Reader(settings, reserve, tell)
    permanent = frozenset(allowed_addresses)
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        allow(request)
        allowed_addresses.clear()
        allowed_addresses.update(permanent, [address_of(request["proxy"])])
        answer = {"id": request["id"]}
        try:
            answer["result"] = reader.answer(request)
        except MemoryError:
            raise  # the worker cannot go on
        except Exception as error:  # sent to the caller; the worker can go on
            answer["error"] = str(error) or type(error).__name__
        write(answer)


main()
