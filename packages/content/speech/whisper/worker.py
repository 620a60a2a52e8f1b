"""A worker that transcribes with Whisper (see ../confined_worker.py): `worker.py MAX_MEMORY_BYTES MODEL_FOLDER`.

  {"id", "path", "start", "end", "language", "detects", "vocabulary"}
    → {"id", "result": {"heard", "segments", "seconds", "heeded"}}

`language` is one of Whisper's codes, or null to detect it. `heard` is [code, probability] if `detects` is true or no
language is given, else null. The answer for a language that the model does not know is {"unknown": true}.
A segment is {"text", "logprob", "noSpeech", "compression", "words": [[start, end, text, confidence], …]}. Times are
seconds from the start of the file. `seconds` is how long the work took, without loading the model. `vocabulary` is names
and terms to expect, or null; `heeded` is how many characters of it were used.
"""

import os
import re
import sys
import time
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import confined_worker  # noqa: E402

confined_worker.confine(int(sys.argv[1]))

# With Intel's MKL, which CTranslate2 uses only on Intel processors, a worker needs three times the memory. Without
# it, all processors give the same results.
os.environ["CT2_USE_MKL"] = "0"

# faster_whisper imports these at its top, but needs neither: we read the sound, and the model is a folder
sys.modules["av"] = ModuleType("av")
sys.modules["huggingface_hub"] = ModuleType("huggingface_hub")

import numpy  # noqa: E402
from faster_whisper.feature_extractor import FeatureExtractor  # noqa: E402
from faster_whisper.transcribe import WhisperModel  # noqa: E402

FOLDER = sys.argv[2]
# the most that Whisper takes before the text: half of its input, without its marks
MAX_VOCABULARY_TOKENS = 222
TERM_BORDER = "[,;،、，；]"


class Model(WhisperModel):
    """Encodes the first window once, for both its language and its words: a tenth less work."""

    def __init__(self):
        # one thread per worker: two workers do more than one with two threads
        super().__init__(FOLDER, device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)
        # the file that faster_whisper reads this from is not in the store
        self.feature_extractor = FeatureExtractor(feature_size=self.model.n_mels)
        self._encoded = None

    def detect_language(self, audio=None, features=None, **options):
        # without the last frame, as the window is encoded for its words
        return super().detect_language(audio, features if features is None else features[..., :-1], **options)

    def encode(self, features):
        if self._encoded is None or not numpy.array_equal(self._encoded[0], features):
            self._encoded = (features, super().encode(features))
        return self._encoded[1]


def samples(path, start, end):
    return numpy.frombuffer(confined_worker.read(path, start, end), "<i2").astype(numpy.float32) / 32768


class Transcriber:
    """The model, loaded at the first request."""

    def __init__(self):
        self._model = None

    def transcribe(self, request):
        if self._model is None:
            self._model = Model()
        began = time.monotonic()
        language, start = request["language"], request["start"]
        if language is not None and language not in self._model.supported_languages:
            return {"unknown": True}
        sound = samples(request["path"], start, request["end"])
        detects = request["detects"] or language is None
        vocabulary = self._fitting(request["vocabulary"] or "")
        segments, info = self._begin(sound, None if detects else language, vocabulary)
        if language not in (None, info.language):
            segments, _ = self._begin(sound, language, vocabulary)
        heard = [info.language, info.language_probability] if detects else None
        described = [self._described(segment, start) for segment in segments]  # the work is done here, lazily
        seconds = time.monotonic() - began
        return {"heard": heard, "segments": described, "seconds": seconds, "heeded": len(vocabulary)}

    def _fitting(self, vocabulary):
        """As many terms as the model takes, from the first on. Cuts a term that is too long by itself."""
        tokens = self._model.hf_tokenizer.encode(" " + vocabulary, add_special_tokens=False)
        if len(tokens) <= MAX_VOCABULARY_TOKENS:
            return vocabulary
        room = tokens.offsets[MAX_VOCABULARY_TOKENS][0] - 1
        for border in (TERM_BORDER, r"\s"):
            ends = [match.start() for match in re.finditer(border, vocabulary[: room + 1])]
            if ends:
                return vocabulary[: ends[-1]]
        return vocabulary[:room]

    def _begin(self, sound, language, vocabulary):
        """Decoding begins when the segments are read. Loops must not spread from one window to the next."""
        return self._model.transcribe(
            sound,
            language=language,
            beam_size=5,
            word_timestamps=True,
            condition_on_previous_text=False,
            # applies to every window of the sound: a prompt applies only to the first. Whisper would continue a list
            # without an end
            hotwords=f"{vocabulary}." if vocabulary else None,
        )

    def _described(self, segment, start):
        return {
            "text": segment.text,
            "logprob": segment.avg_logprob,
            "noSpeech": segment.no_speech_prob,
            "compression": segment.compression_ratio,
            "words": [
                [start + float(word.start), start + float(word.end), word.word, float(word.probability)]
                for word in segment.words or ()
            ],
        }


transcriber = Transcriber()
confined_worker.serve(transcriber.transcribe)
