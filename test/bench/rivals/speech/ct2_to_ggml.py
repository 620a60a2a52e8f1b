"""Converts a CTranslate2 model for whisper.cpp, weight by weight, as float16: `ct2_to_ggml.py FOLDER OUTPUT`."""

import json
import struct
import sys
from pathlib import Path

import numpy
from faster_whisper.feature_extractor import FeatureExtractor

TYPES = [numpy.float32, numpy.int8, numpy.int16, numpy.int32, numpy.float16]
N_FFT, ORDINARY_TOKENS = 400, 50257
IN_FLOAT32 = ("positional_embedding", "conv1.bias", "conv2.bias")


def read_ct2(path):
    """The weights by name, from CTranslate2's binary format 6."""
    data, at = memoryview(path.read_bytes()), 0

    def take(form):
        nonlocal at
        (value,) = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        return value

    def text():
        nonlocal at
        length = take("<H")
        at += length
        return bytes(data[at - length : at - 1]).decode()

    if (version := take("<I")) != 6:
        raise ValueError(f"format {version} of CTranslate2")
    text(), take("<I")
    weights = {}
    for _ in range(take("<I")):
        name = text()
        shape = [take("<I") for _ in range(take("<B"))]
        kind, size = TYPES[take("<B")], take("<I")
        weights[name] = numpy.frombuffer(data[at : at + size], kind).reshape(shape)
        at += size
    return weights


def norm(weights, ours, theirs):
    return {f"{theirs}.weight": weights[f"{ours}/gamma"], f"{theirs}.bias": weights[f"{ours}/beta"]}


def attention(weights, ours, theirs):
    """CTranslate2 stores query, key and value as one matrix; in cross-attention only key and value."""
    linears = [(weights[f"{ours}/linear_{i}/weight"], weights[f"{ours}/linear_{i}/bias"]) for i in range(3) if f"{ours}/linear_{i}/weight" in weights]
    *inputs, out = linears
    matrix, bias = (numpy.split(numpy.concatenate(parts), 3) for parts in zip(*inputs))
    named = {}
    for name, w, b in [*zip(("query", "key", "value"), matrix, bias), ("out", *out)]:
        named[f"{theirs}.{name}.weight"] = w
        if name != "key":
            named[f"{theirs}.{name}.bias"] = b
    return named


def layer(weights, ours, theirs):
    named = {}
    for part, name in (("self_attention", "attn"), ("attention", "cross_attn")):
        if f"{ours}/{part}/layer_norm/gamma" in weights:
            named |= norm(weights, f"{ours}/{part}/layer_norm", f"{theirs}.{name}_ln")
            named |= attention(weights, f"{ours}/{part}", f"{theirs}.{name}")
    named |= norm(weights, f"{ours}/ffn/layer_norm", f"{theirs}.mlp_ln")
    for i, name in ((0, "mlp.0"), (1, "mlp.2")):
        named |= {f"{theirs}.{name}.{kind}": weights[f"{ours}/ffn/linear_{i}/{kind}"] for kind in ("weight", "bias")}
    return named


def named_as_openai_does(weights):
    layers = {side: sum(f"{side}/layer_{i}/ffn/layer_norm/gamma" in weights for i in range(64)) for side in ("encoder", "decoder")}
    named = {"decoder.token_embedding.weight": weights["decoder/embeddings/weight"]}
    for side, last in (("encoder", "ln_post"), ("decoder", "ln")):
        named[f"{side}.positional_embedding"] = weights[f"{side}/position_encodings/encodings"]
        named |= norm(weights, f"{side}/layer_norm", f"{side}.{last}")
        for i in range(layers[side]):
            named |= layer(weights, f"{side}/layer_{i}", f"{side}.blocks.{i}")
    for conv in ("conv1", "conv2"):
        named[f"encoder.{conv}.weight"] = weights[f"encoder/{conv}/weight"]
        named[f"encoder.{conv}.bias"] = weights[f"encoder/{conv}/bias"].reshape(-1, 1)
    return named, layers


def byte_of_character():
    """GPT-2 writes each byte as a printable character."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


def write_ggml(folder, output):
    named, layers = named_as_openai_does(read_ct2(folder / "model.bin"))
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    tokens = [token for token, i in sorted(vocabulary.items(), key=lambda item: item[1]) if i < ORDINARY_TOKENS]
    audio, embedding = named["encoder.positional_embedding"], named["decoder.token_embedding.weight"]
    mels = named["encoder.conv1.weight"].shape[1]
    text_context, width = named["decoder.positional_embedding"].shape
    heads = width // 64
    filters = FeatureExtractor.get_mel_filters(16000, N_FFT, mels).astype(numpy.float32)
    bytes_of = byte_of_character()
    with open(output, "wb") as file:
        file.write(struct.pack("<i", 0x67676D6C))
        sizes = [len(embedding), *audio.shape, heads, layers["encoder"], text_context, width, heads, layers["decoder"], mels]
        file.write(struct.pack("<11i", *sizes, 1))
        file.write(struct.pack("<2i", *filters.shape) + filters.tobytes())
        file.write(struct.pack("<i", len(tokens)))
        for token in tokens:
            raw = bytes(bytes_of[character] for character in token)
            file.write(struct.pack("<i", len(raw)) + raw)
        for name, weight in named.items():
            half = weight.ndim > 1 and not name.endswith(IN_FLOAT32)
            head = struct.pack("<3i", weight.ndim, len(name), int(half))
            file.write(head + struct.pack(f"<{weight.ndim}i", *reversed(weight.shape)) + name.encode())
            file.write(numpy.ascontiguousarray(weight, numpy.float16 if half else numpy.float32).tobytes())


write_ggml(Path(sys.argv[1]), Path(sys.argv[2]))
