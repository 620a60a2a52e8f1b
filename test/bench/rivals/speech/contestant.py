"""Transcribes WAV files, one after another: `contestant.py ENGINE MODEL THREADS`. It reads one path per line from
standard input, and answers each with a line of JSON: text, processor and wall seconds, its peak memory in bytes."""

import json
import os
import resource
import sys
import time

engine, model, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])


def faster_whisper(vad_filter):
    from faster_whisper import WhisperModel

    # as its README recommends for a CPU; everything else is the library's default
    loaded = WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=threads)

    def hear(path):
        segments, _ = loaded.transcribe(path, beam_size=5, word_timestamps=True, vad_filter=vad_filter)
        return "".join(segment.text for segment in segments)

    return hear


def whisper_cpp():
    from pywhispercpp.model import Model

    beams = {"beam_size": 5, "patience": -1.0}
    loaded = Model(model, params_sampling_strategy=1, redirect_whispercpp_logs_to=None, n_threads=threads)

    def hear(path):
        segments = loaded.transcribe(path, beam_search=beams, language="auto", print_progress=False)
        return " ".join(segment.text for segment in segments)

    return hear


def peak_bytes():
    # not ru_maxrss: that begins with the peak of the process that started this one
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)  # whisper.cpp prints there
hear = {
    "faster-whisper": lambda: faster_whisper(False),
    "faster-whisper-vad": lambda: faster_whisper(True),
    "whisper.cpp": whisper_cpp,
}[engine]()
for line in sys.stdin:
    cpu, wall = cpu_seconds(), time.monotonic()
    text = hear(line.rstrip("\n"))
    answer = {"text": text, "cpuSeconds": cpu_seconds() - cpu, "wallSeconds": time.monotonic() - wall}
    answers.write(json.dumps(answer | {"peakBytes": peak_bytes()}) + "\n")
    answers.flush()
