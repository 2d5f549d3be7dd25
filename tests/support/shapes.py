"""The shapes of JSON answers: their fields as docs/json.md lists them, and whether a value fits."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import (
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", Any: "any"}


class Field(NamedTuple):
    """A field as the documentation lists it: `roots[].path`, `string`."""

    name: str
    type: str


def fields_of(shape: Any, prefix: str = "", parents: tuple[Any, ...] = ()) -> Iterator[Field]:
    """Every field of a shape and of the shapes in it; a shape inside itself is not repeated."""
    for name, hint in _hints(shape).items():
        hint, is_optional = _required(hint)
        type_name = _type_name(hint)
        if is_optional:
            type_name += ", optional"
        yield Field(prefix + name, type_name)
        inner, suffix = _inner(hint)
        if is_typeddict(inner) and inner not in parents:
            yield from fields_of(inner, f"{prefix}{name}{suffix}.", (*parents, shape))


def faults(value: Any, shape: Any, where: str = "item") -> Iterator[str]:
    """What does not fit: keys that are missing or too many, and values of another type."""
    if shape is Any:
        return
    if is_typeddict(shape) or _is_struct(shape):
        yield from _object_faults(value, shape, where)
        return
    origin = get_origin(shape)
    if origin in (Union, types.UnionType):
        yield from _optional_faults(value, shape, where)
    elif origin in (list, dict, tuple):
        yield from _container_faults(value, shape, where)
    else:
        yield from _simple_faults(value, shape, where)


def _optional_faults(value: Any, shape: Any, where: str) -> Iterator[str]:
    if value is None and type(None) in get_args(shape):
        return
    (other,) = [part for part in get_args(shape) if part is not type(None)]
    yield from faults(value, other, where)


def _container_faults(value: Any, shape: Any, where: str) -> Iterator[str]:
    origin = get_origin(shape)
    if origin is list:
        (part,) = get_args(shape)
        if not isinstance(value, list):
            yield f"{where} is not a list"
            return
        for number, item in enumerate(value):
            yield from faults(item, part, f"{where}[{number}]")
    elif origin is dict:
        _, part = get_args(shape)
        for key, item in value.items():
            yield from faults(item, part, f"{where}.{key}")
    else:
        for number, (item, part) in enumerate(zip(value, get_args(shape), strict=True)):
            yield from faults(item, part, f"{where}[{number}]")


def _simple_faults(value: Any, shape: Any, where: str) -> Iterator[str]:
    accepted = shape
    if shape is float:
        accepted = (int, float)
    is_wrong_bool = isinstance(value, bool) and shape is not bool
    if is_wrong_bool or not isinstance(value, accepted):
        yield f"{where} is {type(value).__name__}, not {shape}"


def _object_faults(value: Any, shape: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is not an object"
        return
    hints = _hints(shape)
    for name in value:
        if name not in hints:
            yield f"{where}.{name} is not in the shape"
    if _is_struct(shape):
        return  # fields that are unknown or empty are left out, and msgspec knows the types
    for name, hint in hints.items():
        hint, is_optional = _required(hint)
        if name in value:
            yield from faults(value[name], hint, f"{where}.{name}")
        elif not is_optional:
            yield f"{where}.{name} is missing"


def _hints(shape: Any) -> dict[str, Any]:
    return get_type_hints(shape, include_extras=True)


def _is_struct(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, msgspec.Struct)


def _required(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) is NotRequired:
        return get_args(hint)[0], True
    return hint, False


def _inner(hint: Any) -> tuple[Any, str]:
    """The shape inside a list, an object or an optional value, and how its fields are named."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _inner(next(part for part in get_args(hint) if part is not type(None)))
    if origin is list:
        return get_args(hint)[0], "[]"
    if origin is dict:
        inner, suffix = _inner(get_args(hint)[1])
        return inner, f".*{suffix}"
    return hint, ""


def _type_name(hint: Any) -> str:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        names = [_type_name(part) for part in get_args(hint) if part is not type(None)]
        return f"{' or '.join(names)} or null"
    if origin in (list, tuple) and (Ellipsis in get_args(hint) or origin is list):
        inner = _type_name(get_args(hint)[0])
        if inner.startswith("list of "):
            return f"list of {inner.replace('list', 'lists', 1)}"
        return f"list of {inner}s"
    if origin is tuple:
        return "pair"
    if origin is Literal:
        return "string"
    if origin is dict:
        inner = get_args(hint)[1]
        if get_origin(inner) is list:
            return "object of lists"
        return f"object of {_type_name(inner).replace(' or ', 's or ')}s"
    if hint in _NAMES:
        return _NAMES[hint]
    if getattr(hint, "__name__", "") == "datetime":
        return "time"
    return "object"
