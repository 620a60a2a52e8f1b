"""A worker that transcribes by Whisper (see ../confined_worker.py): `worker.py MAX_MEMORY_BYTES MODEL_FOLDER`.

  {"id", "path", "start", "end", "language", "detects", "prompt"}  → {"id", "result": {"heard", "segments", "seconds"}}

`language` is one of Whisper's codes, or null: the one that is heard. `heard` is [code, probability] where `detects` is
true or no language is given, else null; a language that the model does not know is answered {"unknown": true}.
A segment is {"text", "logprob", "noSpeech", "compression", "words": [[start, end, text, confidence], …]}. Times are
seconds from the start of the file. `seconds` is how long the work took, without loading the model.
"""

import sys
import time
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import confined_worker  # noqa: E402

confined_worker.confine(int(sys.argv[1]))

# faster_whisper imports these at its top, and needs neither: we read the sound, and the model is a folder
sys.modules["av"] = ModuleType("av")
sys.modules["huggingface_hub"] = ModuleType("huggingface_hub")

import numpy  # noqa: E402
from faster_whisper.feature_extractor import FeatureExtractor  # noqa: E402
from faster_whisper.transcribe import WhisperModel  # noqa: E402

FOLDER = sys.argv[2]


class Model(WhisperModel):
    """Encodes the first window once, where the language and the words of it are found: a tenth less work."""

    def __init__(self):
        # one thread a worker: two of them do more than one with two threads
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
        segments, info = self._begin(sound, None if detects else language, request["prompt"])
        if language not in (None, info.language):
            segments, _ = self._begin(sound, language, request["prompt"])
        heard = [info.language, info.language_probability] if detects else None
        described = [self._described(segment, start) for segment in segments]  # here the work is done
        return {"heard": heard, "segments": described, "seconds": time.monotonic() - began}

    def _begin(self, sound, language, prompt):
        """Nothing is decoded before the segments are asked for. Loops must not spread from one window to the next."""
        return self._model.transcribe(
            sound,
            language=language,
            beam_size=5,
            word_timestamps=True,
            condition_on_previous_text=False,
            initial_prompt=prompt,
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
