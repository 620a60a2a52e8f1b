"""Makes empty wheels for the stand-in of the package index. Reads [{"name", "version", "requires"}] as JSON from
standard input. The argument is the folder."""

import json
import os
import sys
import zipfile

for wheel in json.load(sys.stdin):
    name, version = wheel["name"].replace("-", "_"), wheel["version"]
    info = f"{name}-{version}.dist-info"
    extras = {requirement.split("== ")[1].strip("'") for requirement in wheel["requires"]}
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {wheel['name']}",
        f"Version: {version}",
        *(f"Provides-Extra: {extra}" for extra in extras),
        *(f"Requires-Dist: {requirement}" for requirement in wheel["requires"]),
    ]
    with zipfile.ZipFile(os.path.join(sys.argv[1], f"{name}-{version}-py3-none-any.whl"), "w") as file:
        file.writestr(f"{name}.py", f"version = {version!r}\n")
        file.writestr(f"{info}/METADATA", "\n".join(metadata) + "\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
