"""Vectors from an ONNX sentence model that the user has on disk (`index.vector.model_path`).

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

    from agent_journal.search.embedding import Weigh

_LONGEST = 256  # tokens
_BATCH = 16
_SAMPLES = 16
_SAMPLE = 4096


class Model:
    """A sentence model; loaded with the first text."""

    is_slow = True
    unlike = 0.25

    def __init__(self, path: str) -> None:
        if path.endswith(".onnx"):
            self._folder = os.path.dirname(path)
            self._path = path
        else:
            self._folder = path
            self._path = os.path.join(path, "model.onnx")
            below = os.path.join(path, "onnx", "model.onnx")
            if not os.path.isfile(self._path) and os.path.isfile(below):
                self._path = below

    def problem(self) -> str:
        """Why it cannot be used; empty when it can."""
        if not os.path.isfile(self._path):
            return f"there is no model {self._path}"
        if not os.path.isfile(self._tokens):
            return f"the model {self._path} has no tokenizer.json beside it"
        missing = [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]
        if missing:
            return f"a model needs {' and '.join(missing)}: pip install 'agent-journal[onnx]'"
        return ""

    @property
    def _tokens(self) -> str:
        sibling = os.path.join(os.path.dirname(self._path), "tokenizer.json")
        if os.path.isfile(sibling):
            return sibling
        return os.path.join(self._folder, "tokenizer.json")

    @cached_property
    def name(self) -> str:
        """Which model it is, by its size and samples of its bytes: reading all would take long."""
        size = os.path.getsize(self._path)
        check = 0
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
        except Exception as error:  # the libraries share no base class of errors
            raise self._unusable(self._tokens, error) from error
        try:
            providers = ["CPUExecutionProvider"]
            return onnxruntime.InferenceSession(self._path, providers=providers), tokenizer
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
        """How many units of an int8 are 1.0: where there are many numbers, none is large."""
        if self.dims >= 256:
            return 254
        return 127

    def knows(self, word: str) -> bool:
        """Whether a word has a meaning for it: any may."""
        return True

    def embed(self, text: str, weigh: Weigh | None = None) -> list[float] | None:
        """The vector of a query."""
        return [float(value) for value in self._run([text])[0]]

    def embed_many(self, texts: list[str]) -> numpy.ndarray[Any, Any]:
        """A row for each text; texts of similar length are run together."""
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
        encodings = tokenizer.encode_batch(texts)
        mask = np.array([encoding.attention_mask for encoding in encodings], np.int64)
        inputs = {
            "input_ids": np.array([encoding.ids for encoding in encodings], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        names = {entry.name for entry in session.get_inputs()}
        inputs = {name: value for name, value in inputs.items() if name in names}
        try:
            found, *_ = session.run(None, inputs)
            if found.ndim == 3:  # a vector for each token: the sentence is their mean
                weights = mask[:, :, None].astype(np.float32)
                found = (found * weights).sum(1) / np.maximum(weights.sum(1), 1)
        except Exception as error:
            raise self._unusable(self._path, error) from error
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
