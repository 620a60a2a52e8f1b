"""The loop of a speech worker: one JSON request per line on standard input, one JSON answer per line on standard
output. It ends with its parent, or when standard input does."""

import ctypes
import json
import os
import resource
import signal
import sys
import time
import wave

PR_SET_PDEATHSIG = 1
RATE = 16000


def confine(max_memory_bytes):
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    limits = {"RLIMIT_AS": max_memory_bytes, "RLIMIT_CORE": 0, "RLIMIT_NOFILE": 64, "RLIMIT_FSIZE": 0}
    for name, limit in limits.items():
        resource.setrlimit(getattr(resource, name), (limit, limit))


def _allow_cpu(seconds):
    """Limits the CPU time from now on; more ends the worker."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, resource.RLIM_INFINITY))


def read(path, start, end):
    """The samples of a stretch, 16 kHz, mono, 16 bits."""
    with wave.open(path, "rb") as sound:
        if (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) != (RATE, 1, 2):
            raise ValueError("not 16 kHz, mono, 16 bits")
        first = int(start * RATE)
        if not 0 <= first <= sound.getnframes() or end < start:
            raise ValueError("no such stretch")
        sound.setpos(first)
        return sound.readframes(int((end - start) * RATE))


def serve(answer):
    """Answers each request with the result of `answer`, or with {"id", "error"} if that fails. If memory runs out or a
    library fails, the worker ends, because its state is unknown."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    for line in sys.stdin:
        request = json.loads(line)
        _allow_cpu(request["cpuSeconds"])
        reply = {"id": request["id"]}
        try:
            reply["result"] = answer(request)
        except (MemoryError, RuntimeError) as error:
            sys.exit(f"{type(error).__name__}: {error}")
        except Exception as error:  # sent to the caller; the worker can go on
            reply["error"] = f"{type(error).__name__}: {error}"
        answers.write(json.dumps(reply) + "\n")
        answers.flush()
