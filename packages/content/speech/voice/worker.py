"""A worker that finds speech (see ../confined_worker.py): `worker.py MAX_MEMORY_BYTES`.

{"id", "path", "maxSeconds"}  → {"id", "result": [[start, end], …]}, seconds from the start of the file
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import confined_worker  # noqa: E402

confined_worker.confine(int(sys.argv[1]))

import voice  # noqa: E402

confined_worker.serve(lambda request: list(voice.regions(request["path"], request["maxSeconds"])))
