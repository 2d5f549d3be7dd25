"""Addresses on masked pages: a name stands for a value that must not be seen.

The address of a link is seen below the page and above the next one. A link to a file below a home
folder must lead there all the same, so what each name stands for is remembered while the server
runs.
"""

from __future__ import annotations

import hmac
import secrets
from urllib.parse import quote_plus

_PREFIX = "masked-"
_MOST = 20_000  # values; a page of files has a few hundred


class Names:
    """Names for values, and the values again."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._values: dict[str, str] = {}

    def name(self, value: str) -> str:
        """What stands for a value: always the same, so that an address stays one address."""
        data = value.encode("utf-8", "surrogatepass")
        name = _PREFIX + hmac.new(self._key, data, "sha256").hexdigest()[:32]
        self._values.pop(name, None)
        self._values[name] = value
        if len(self._values) > _MOST:
            del self._values[next(iter(self._values))]
        return name

    def resolve(self, query: bytes) -> bytes:
        """The query of an address with values in the place of their names."""
        if _PREFIX.encode() not in query:
            return query
        return b"&".join(self._resolve_one(part) for part in query.split(b"&"))

    def _resolve_one(self, part: bytes) -> bytes:
        key, sign, name = part.partition(b"=")
        value = self._values.get(name.decode("latin-1"))
        if value is None:
            return part
        return key + sign + quote_plus(value, errors="replace").encode()
