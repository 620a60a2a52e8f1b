"""Finds where speech is likely in a WAV of 16 kHz, mono, 16 bits. It uses pocketsphinx's voice activity
detector, which takes most music and noise for speech; `sounds_spoken` drops those."""

import math
import wave
from array import array
from operator import mul

from pocketsphinx import Endpointer, Vad  # its voice detector, not its recogniser

RATE = 16000
FRAME = 320  # samples, 20 ms
FRAMES_A_SECOND = RATE // FRAME
WINDOW_SECONDS = 3
STEP_SECONDS = 2

# measured on read speech (clean, quiet, band-limited, in noise) against tones, chords, noise and synthetic music
STEADY_DECIBELS = 2.0
STEADY_TILT = 0.35
MIN_TILT = 0.12
MAX_RHYTHM = 0.75
LOUD_DECIBELS = 30  # below the loudest frame: the colour of quieter frames means nothing


def regions(path, max_seconds):
    """Yields (start, end) in seconds, none longer than max_seconds, with one region in memory at a time."""
    for start, pcm in _active(path, max_seconds):
        if sounds_spoken(array("h", pcm)):
            yield start, start + len(pcm) / 2 / RATE


def _active(path, max_seconds):
    with wave.open(path, "rb") as sound:
        if (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) != (RATE, 1, 2):
            raise ValueError("not 16 kHz, mono, 16 bits")
        detector = Endpointer(vad_mode=Vad.LOOSE, sample_rate=RATE)
        samples = detector.frame_bytes // 2
        limit = int(max_seconds * RATE) * 2
        start, pcm = 0.0, bytearray()
        while True:
            frame = sound.readframes(samples)
            was_speaking = detector.in_speech
            if len(frame) < detector.frame_bytes:
                if was_speaking:  # the detector refuses an empty frame
                    pcm += detector.end_stream(frame or b"\0\0") or b""
                break
            voice = detector.process(frame)
            if voice is None:
                continue
            if not was_speaking:
                start, pcm = detector.speech_start, bytearray()
            pcm += voice
            if not detector.in_speech:
                yield start, pcm
                pcm = bytearray()
            elif len(pcm) > limit:
                cut = _quietest(pcm[:limit])
                yield start, pcm[:cut]
                start, pcm = start + cut / 2 / RATE, pcm[cut:]
        while pcm:
            cut = len(pcm) if len(pcm) <= limit else _quietest(pcm[:limit])
            yield start, pcm[:cut]
            start, pcm = start + cut / 2 / RATE, pcm[cut:]


def _quietest(pcm):
    """The offset in bytes to split speech without a pause at: the quietest fifth of a second of the last third."""
    tail = array("h", pcm[len(pcm) * 2 // 6 * 2 :])
    energies = [e for e, _ in _frames(tail)]
    span = FRAMES_A_SECOND // 5
    best = min(range(max(1, len(energies) - span)), key=lambda i: sum(energies[i : i + span]))
    return len(pcm) - len(tail) * 2 + (best + span // 2) * FRAME * 2


def _frames(samples):
    """Mean square and lag-1 product of each frame."""
    for i in range(0, len(samples) - FRAME + 1, FRAME):
        frame = samples[i : i + FRAME]
        yield sum(map(mul, frame, frame)) / FRAME, sum(map(mul, frame, frame[1:])) / FRAME


def sounds_spoken(samples):
    """Whether any part of a region sounds like speech: loudness and colour change, without a strict beat."""
    length, step = WINDOW_SECONDS * RATE, STEP_SECONDS * RATE
    last = max(0, len(samples) - length)
    starts = [*range(0, last, step), last]
    return any(_window_sounds_spoken(samples[start : start + length]) for start in starts)


def _window_sounds_spoken(samples):
    frames = list(_frames(samples))
    if not frames:
        return False
    loudness = [_decibels(energy) for energy, _ in frames]
    # energy of the differentiated signal; noise of any colour is steady in it
    edge = [_decibels(2 * (energy - product)) for energy, product in frames]
    floor = _percentile(loudness, 0.95) - LOUD_DECIBELS
    # colour: 1 for a hum, near 0 for white noise, below 0 for a hiss; in speech, vowels and fricatives alternate
    tilt = [product / max(energy, 1) for energy, product in frames if _decibels(energy) >= floor]
    colours = _percentile(tilt, 0.95) - _percentile(tilt, 0.05)
    changes = _percentile(edge, 0.9) - _percentile(edge, 0.1)
    if colours < MIN_TILT or (changes < STEADY_DECIBELS and colours < STEADY_TILT):
        return False
    return len(frames) < WINDOW_SECONDS * FRAMES_A_SECOND or _rhythm(loudness) < MAX_RHYTHM


def _decibels(energy):
    return 10 * math.log10(max(energy, 0) + 1)


def _percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _rhythm(loudness):
    """How well loudness repeats itself after 0.2 to 1.5 s: 1 for a perfectly regular beat."""
    mean = sum(loudness) / len(loudness)
    deviations = [value - mean for value in loudness]
    best = 0.0
    for lag in range(FRAMES_A_SECOND // 5, FRAMES_A_SECOND * 3 // 2):
        early, late = deviations[:-lag], deviations[lag:]
        power = math.sqrt(sum(map(mul, early, early)) * sum(map(mul, late, late)))
        best = max(best, sum(map(mul, early, late)) / (power + 1))
    return best
