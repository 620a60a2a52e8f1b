"""`npm run contracts:python`: writes what is generated of packages/client-python.

models.py comes from contracts/generated/openapi.json by datamodel-code-generator. _sync comes from _async: the same code
without `await`. `-- --check` writes nothing, and exits 1 if the files on disk differ. `ops/setup --dev` installs the
generator.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PACKAGE = PROJECT / "packages/client-python/src/video_intelligence"
DOCUMENT = PROJECT / "contracts/generated/openapi.json"
BANNER = "# Written by `npm run contracts:python`. Do not edit.\n"

OPTIONS = """
    --input-file-type openapi --openapi-scopes schemas --output-model-type typing.TypedDict --target-python-version 3.11
    --enum-field-as-literal all --parent-scoped-naming --use-schema-description --use-field-description
    --use-union-operator --use-standard-collections --formatters builtin
""".split()

# Each pattern in code with `await`, and what replaces it in code without.
WITHOUT_AWAIT = [
    (r"asynccontextmanager", "contextmanager"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"import asyncio\n(?=import time\n)", ""),
    (r"(import asyncio\n)((?:import \w+\n)*)", r"\2import time\n"),
    (r"\b(await|async) ", ""),
    (r"\b(__)?a(enter__|exit__|iter_bytes|read|close)\b", r"\1\2"),
    (r"\bAsync(?=[A-Z])", ""),
]


def opened(node):
    """Without `additionalProperties: false`: answers of a newer service may have more fields."""
    if isinstance(node, dict):
        return {name: opened(part) for name, part in node.items() if (name, part) != ("additionalProperties", False)}
    return [opened(part) for part in node] if isinstance(node, list) else node


def models():
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "openapi.json"), Path(folder, "models.py")
        source.write_text(json.dumps(opened(json.loads(DOCUMENT.read_text()))))
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", source, "--output", target]
        subprocess.run([*command, "--custom-file-header", BANNER.strip(), *OPTIONS], check=True)
        return target.read_text()


def without_await(source):
    for pattern, replacement in WITHOUT_AWAIT:
        source = re.sub(pattern, replacement, source)
    return BANNER + source


def outputs():
    yield PACKAGE / "models.py", models()
    for file in sorted((PACKAGE / "_async").glob("*.py")):
        source = file.read_text()
        yield PACKAGE / "_sync" / file.name, BANNER if file.name == "__init__.py" else without_await(source)


def main():
    status = 0
    for path, text in outputs():
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path.relative_to(PROJECT)} is not what it is made from: run `npm run contracts:python`", file=sys.stderr)
            status = 1
    return status


sys.exit(main())
