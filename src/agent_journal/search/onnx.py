"""Vectors from an ONNX model of sentences that the user has on disk (`index.vector.model_path`).

The folder holds `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`, as sentence-transformers
publishes them. Needs the extra `agent-journal[onnx]`.
"""

from __future__ import annotations

import os
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from zlib import crc32

from agent_journal.errors import ConfigError

if TYPE_CHECKING:
    import numpy

_LONGEST = 256  # tokens
_BATCH = 16
_SAMPLES = 16
_SAMPLE = 4096


class Model:
    """A model of sentences; loaded with the first text."""

    is_slow = True
    unlike = 0.25

    def __init__(self, path: str) -> None:
        self._folder = os.path.dirname(path) if path.endswith(".onnx") else path
        places = (
            [path]
            if path.endswith(".onnx")
            else [os.path.join(path, "model.onnx"), os.path.join(path, "onnx", "model.onnx")]
        )
        self._path = next((place for place in places if os.path.isfile(place)), places[0])

    def trouble(self) -> str:
        """Why it cannot be used; nothing when it can."""
        if not os.path.isfile(self._path):
            return f"there is no model {self._path}"
        if not os.path.isfile(self._tokens):
            return f"the model {self._path} has no tokenizer.json beside it"
        missing = [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]
        return (
            f"a model needs {' and '.join(missing)}: pip install 'agent-journal[onnx]'"
            if missing
            else ""
        )

    @property
    def _tokens(self) -> str:
        above = os.path.join(self._folder, "tokenizer.json")
        beside = os.path.join(os.path.dirname(self._path), "tokenizer.json")
        return beside if os.path.isfile(beside) else above

    @cached_property
    def name(self) -> str:
        """Which model it is, by its size and samples of its bytes: reading all of it takes longer
        than a search.
        """
        size, check = os.path.getsize(self._path), 0
        with open(self._path, "rb") as file:
            for number in range(_SAMPLES):
                file.seek(size * number // _SAMPLES)
                check = crc32(file.read(_SAMPLE), check)
        return f"onnx {size} {check:08x}"

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(self._tokens)
            tokenizer.enable_truncation(_LONGEST)
            tokenizer.enable_padding()
        except Exception as error:  # the libraries have no error of their own in common
            raise self._unusable(self._tokens, error) from error
        try:
            return onnxruntime.InferenceSession(
                self._path, providers=["CPUExecutionProvider"]
            ), tokenizer
        except Exception as error:
            raise self._unusable(self._path, error) from error

    @staticmethod
    def _unusable(path: str, error: object) -> ConfigError:
        hint = (
            "set index.vector.model_path to another folder, or unset it to use the built-in table"
        )
        return ConfigError(f"the model cannot be used: {path}: {error}", hint)

    @cached_property
    def dims(self) -> int:
        """How many numbers its vectors have."""
        return len(self._run(["x"])[0])

    @property
    def units(self) -> int:
        """Of many numbers none is large."""
        return 254 if self.dims >= 256 else 127

    def embed(self, text: str) -> list[float] | None:
        """The vector of a query."""
        return [float(value) for value in self._run([text])[0]]

    def embed_many(self, texts: list[str]) -> numpy.ndarray[Any, Any]:
        """A row for each text; those of about the same length go through the model together."""
        import numpy as np

        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        out = np.zeros((len(texts), self.dims), np.float32)
        for start in range(0, len(order), _BATCH):
            some = order[start : start + _BATCH]
            out[some] = self._run([texts[number] for number in some])
        return out

    def _run(self, texts: list[str]) -> Any:
        import numpy as np

        session, tokenizer = self._loaded
        coded = tokenizer.encode_batch(texts)
        mask = np.array([one.attention_mask for one in coded], np.int64)
        given = {
            "input_ids": np.array([one.ids for one in coded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        wanted = {entry.name for entry in session.get_inputs()}
        try:
            [found, *_] = session.run(
                None, {name: value for name, value in given.items() if name in wanted}
            )
            if found.ndim == 3:  # a vector for each token: the sentence is their mean
                weights = mask[:, :, None].astype(np.float32)
                found = (found * weights).sum(1) / np.maximum(weights.sum(1), 1)
        except Exception as error:
            raise self._unusable(self._path, error) from error
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
