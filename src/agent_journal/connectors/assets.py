"""Pictures and files inside a log, as base64: known by size and hash."""

from __future__ import annotations

import binascii
import hashlib

import msgspec

from agent_journal.connectors.values import integer, string


class Asset(msgspec.Struct, omit_defaults=True):
    """A picture or file that is written once and named by id later."""

    mime_type: str | None = None
    size: int | None = None
    sha256: str | None = None


def decoded_asset(data: object, mime_type: object, size: object = None) -> Asset:
    """Size and hash of base64 data; the recorded size if there is none or it is broken."""
    asset = Asset(mime_type=string(mime_type), size=integer(size))
    if isinstance(data, str) and data:
        try:
            content = binascii.a2b_base64(data)
        except (binascii.Error, ValueError):
            return asset
        asset.size = len(content)
        asset.sha256 = hashlib.sha256(content).hexdigest()
    return asset
