"""Attachments of prompts and tool results.

`{"type":"blob","mimeType":"image/png","data":"iVBOR…"}`, or an `assetId` of an earlier
`session.binary_asset`.
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.assets import Asset, decoded_asset
from agent_journal.connectors.values import items, mapping, string
from agent_journal.model import Attachment


def attachment(item: dict[str, Any], assets: dict[str, Asset]) -> Attachment:
    """An attachment of any kind; what is not known is left out."""
    asset = assets.get(str(item.get("assetId"))) or decoded_asset(
        item.get("data"), item.get("mimeType"), item.get("byteLength", item.get("size"))
    )
    notes = (
        _lines(item),
        string(item.get("url")) or string(item.get("uri")),
        string(item.get("omittedReason")),
    )
    return Attachment(
        kind=str(item.get("type") or "file"),
        name=_first(item, "displayName", "title", "name", "description", "message"),
        path=_first(item, "path", "filePath"),
        mime_type=string(item.get("mimeType")) or asset.mime_type,
        size=asset.size,
        sha256=asset.sha256,
        text=_first(item, "text"),
        note=", ".join(note for note in notes if note) or None,
    )


def attachments(value: object, assets: dict[str, Asset]) -> tuple[Attachment, ...]:
    """All attachments of a message."""
    return tuple(attachment(item, assets) for item in items(value)) if value else ()


def result_attachments(result: dict[str, Any], assets: dict[str, Asset]) -> tuple[Attachment, ...]:
    """Pictures and resources in a tool result."""
    if "binaryResultsForLlm" not in result and "contents" not in result:
        return ()
    found = [attachment(item, assets) for item in items(result.get("binaryResultsForLlm"))]
    for item in items(result.get("contents")):
        if item.get("type") in ("image", "audio", "resource_link"):
            found.append(attachment(item, assets))
        elif item.get("type") == "resource":
            found.append(attachment({"type": "resource", **mapping(item.get("resource"))}, assets))
    return tuple(dict.fromkeys(found))


def _first(item: dict[str, Any], *names: str) -> str | None:
    return next((value for name in names if (value := string(item.get(name)))), None)


def _lines(item: dict[str, Any]) -> str | None:
    lines = mapping(item.get("lineRange")) or mapping(item.get("selection"))
    start, end = lines.get("start"), lines.get("end")
    start, end = mapping(start).get("line", start), mapping(end).get("line", end)
    return f"lines {start}-{end}" if isinstance(start, int) and isinstance(end, int) else None
