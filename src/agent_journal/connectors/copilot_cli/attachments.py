"""Attachments of prompts and tool results.

    {"type":"blob","mimeType":"image/png","data":"iVBOR…"}

Instead of `data` there may be the `assetId` of an earlier `session.binary_asset`.
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.assets import Asset, decoded_asset
from agent_journal.connectors.values import first_string, items, mapping, string
from agent_journal.model import Attachment


def attachment(item: dict[str, Any], assets: dict[str, Asset]) -> Attachment:
    """An attachment of any kind."""
    asset = assets.get(str(item.get("assetId")))
    if asset is None:
        size = item.get("byteLength", item.get("size"))
        asset = decoded_asset(item.get("data"), item.get("mimeType"), size)
    notes = (_lines(item), first_string(item, "url", "uri"), string(item.get("omittedReason")))
    return Attachment(
        kind=str(item.get("type") or "file"),
        name=first_string(item, "displayName", "title", "name", "description", "message"),
        path=first_string(item, "path", "filePath"),
        mime_type=string(item.get("mimeType")) or asset.mime_type,
        size=asset.size,
        sha256=asset.sha256,
        text=string(item.get("text")),
        note=", ".join(note for note in notes if note) or None,
    )


def attachments(value: object, assets: dict[str, Asset]) -> tuple[Attachment, ...]:
    """All attachments of a message."""
    return tuple(attachment(item, assets) for item in items(value))


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


def _lines(item: dict[str, Any]) -> str | None:
    lines = mapping(item.get("lineRange")) or mapping(item.get("selection"))
    start = _line_number(lines.get("start"))
    end = _line_number(lines.get("end"))
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    return f"lines {start}-{end}"


def _line_number(position: Any) -> Any:
    """A position is a line, or an object with a line and a column."""
    return mapping(position).get("line", position)
