"""VS Code's URIs as paths, and the folders where its relatives keep user data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import Env
from agent_journal.connectors.vscode_chat import CONNECTOR, places
from agent_journal.connectors.vscode_chat.places import (
    PRODUCTS,
    product_of,
    user_folder_of,
    user_folders,
)
from agent_journal.connectors.vscode_chat.uris import Place, decode, path_of, place_of, range_of


def hexed(text: str) -> str:
    return text.encode().hex()


# -- URI strings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/p%20x", "/home/me/p x"),
        ("file:///home/me/%C3%A9t%C3%A9", "/home/me/été"),
        ("file:///home/me/100%25", "/home/me/100%"),
        ("file:///c%3A/Users/me/My%20Proj%231", "c:\\Users\\me\\My Proj#1"),
        ("file:///C%3A/Users/me", "c:\\Users\\me"),
        ("file:///c:/Users/me", "c:\\Users\\me"),
        ("file://server/share/x%20y", "\\\\server\\share\\x y"),
        ("file:///home/me/x?query#fragment", "/home/me/x"),
    ],
)
def test_a_file_uri_is_a_local_path(uri: str, path: str) -> None:
    assert decode(uri) == Place("file", path, "")


@pytest.mark.parametrize("host", ["wsl%24", "wsl.localhost", "WSL.LocalHost"])
def test_a_share_of_wsl_is_a_path_in_the_distribution(host: str) -> None:
    assert decode(f"file://{host}/Ubuntu/home/me") == Place("file", "/home/me", "wsl:Ubuntu")


@pytest.mark.parametrize(
    ("authority", "remote"),
    [
        ("ssh-remote%2Bmyhost", "ssh:myhost"),
        ("ssh-remote+myhost", "ssh:myhost"),
        ("ssh-remote%2B" + hexed('{"hostName":"myhost"}'), "ssh:myhost"),
        ("wsl%2Bubuntu-22.04", "wsl:ubuntu-22.04"),
        (f"dev-container%2B{hexed('/home/me/proj')}", "dev-container:/home/me/proj"),
        ("dev-container%2B" + hexed('{"hostPath":"/home/me/proj"}'), "dev-container:/home/me/proj"),
        (
            f"dev-container%2B{hexed('/home/me/proj')}%40ssh-remote%2Bmyhost",
            "dev-container:/home/me/proj@myhost",
        ),
        ("attached-container%2B" + hexed('{"containerName":"/box"}'), "attached-container:/box"),
        ("tunnel%2Bname", "tunnel:name"),
        ("codespaces%2Bname", "codespaces:name"),
        ("k8s-container%2Bcontext%3Dx", "k8s-container:context=x"),
    ],
)
def test_a_remote_uri_is_a_path_on_a_named_machine(authority: str, remote: str) -> None:
    assert decode(f"vscode-remote://{authority}/home/me/p%20x") == Place(
        "vscode-remote", "/home/me/p x", remote
    )


@pytest.mark.parametrize("host", ["6162", "cafe", "10", "5050"])
def test_a_host_whose_name_looks_like_hex_keeps_its_name(host: str) -> None:
    """Only a JSON object with a hostName is written in hex for ssh."""
    assert decode(f"vscode-remote://ssh-remote%2B{host}/home/me") == Place(
        "vscode-remote", "/home/me", f"ssh:{host}"
    )


@pytest.mark.parametrize("value", ["[]", '{"a":1}', '{"hostPath":5}', "5", '"x"'])
def test_hex_that_names_nothing_is_left_as_it_is(value: str) -> None:
    place = decode(f"vscode-remote://dev-container%2B{hexed(value)}/w")
    assert place is not None
    assert (place.path, place.remote.partition(":")[0]) == ("/w", "dev-container")


def test_hex_of_endless_brackets_does_not_raise() -> None:
    place = decode(f"vscode-remote://dev-container%2B{hexed('[' * 100_000)}/w")
    assert place is not None
    assert place.path == "/w"


def test_a_virtual_repository_has_no_machine() -> None:
    place = decode("vscode-vfs://github/owner/repo")
    assert place is not None
    assert (place.scheme, place.remote, place.name) == ("vscode-vfs", "", "repo")


@pytest.mark.parametrize(
    ("uri", "scheme", "path"),
    [
        ("untitled:Untitled-1", "untitled", "Untitled-1"),
        (
            "vscode-userdata:/home/me/.config/Code/User/x",
            "vscode-userdata",
            "/home/me/.config/Code/User/x",
        ),
        ("vscode-notebook-cell:/w/n.ipynb#W0", "vscode-notebook-cell", "/w/n.ipynb"),
    ],
)
def test_other_schemes_are_distinguished(uri: str, scheme: str, path: str) -> None:
    assert decode(uri) == Place(scheme, path, "")


@pytest.mark.parametrize("text", ["", "/home/me", "c:\\Users\\me", "c:/Users/me", "no uri", "://x"])
def test_what_is_no_uri_is_none(text: str) -> None:
    assert decode(text) is None


def test_escapes_that_are_broken_do_not_raise() -> None:
    for text in (
        "file:///%",
        "file:///%zz",
        "file:///%ff%fe",
        "vscode-remote://%2B/x",
        "vscode-remote:///x",
        "file:",
    ):
        assert decode(text) is not None


# -- URI objects -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"$mid": 1, "scheme": "file", "path": "/w/a b.py"}, "/w/a b.py"),
        ({"scheme": "file", "path": "/w/a%20b.py"}, "/w/a%20b.py"),
        ({"$mid": 1, "scheme": "file", "path": "/c:/w/a.py"}, "c:\\w\\a.py"),
        (
            {"$mid": 1, "scheme": "file", "path": "/c:/w/a.py", "fsPath": "c:\\w\\a.py", "_sep": 1},
            "c:\\w\\a.py",
        ),
        (
            {"$mid": 1, "scheme": "file", "authority": "server", "path": "/share/a.py"},
            "\\\\server\\share\\a.py",
        ),
        (
            {"$mid": 1, "scheme": "file", "path": "/w/a.py", "external": "file:///elsewhere"},
            "/w/a.py",
        ),
        (
            {
                "$mid": 1,
                "scheme": "vscode-remote",
                "authority": "wsl+x",
                "path": "/w/a.py",
                "fsPath": "\\w",
            },
            "/w/a.py",
        ),
        (
            {"uri": {"scheme": "file", "path": "/w/a.py"}, "range": {"startLineNumber": 3}},
            "/w/a.py",
        ),
        ("file:///w/a%20b.py", "/w/a b.py"),
        ("plain text", None),
        ({"path": "/w/a.py"}, None),
        ({"scheme": 5, "path": "/w"}, None),
        ({"scheme": "file", "path": None}, None),
        ({"uri": 5}, None),
        (None, None),
        (5, None),
        ([], None),
    ],
)
def test_the_path_of_a_uri_object(value: Any, path: str | None) -> None:
    assert path_of(value) == path


def test_a_remote_object_names_its_machine() -> None:
    value = {
        "$mid": 1,
        "scheme": "vscode-remote",
        "authority": "wsl+ubuntu-22.04",
        "path": "/home/me/p",
    }
    assert place_of(value) == Place("vscode-remote", "/home/me/p", "wsl:ubuntu-22.04")


@pytest.mark.parametrize(
    ("path", "name"),
    [("/w/a.py", "a.py"), ("c:\\w\\a.py", "a.py"), ("/w/", "w"), ("/", "/"), ("a", "a")],
)
def test_the_name_of_a_place(path: str, name: str) -> None:
    assert Place("file", path).name == name


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"range": {"startLineNumber": 3, "endLineNumber": 9}}, (3, 9)),
        ({"range": {"startLineNumber": 3}}, (3, 3)),
        ({"range": {"endLineNumber": 3}}, None),
        ({"range": []}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_lines_of_a_location(value: Any, lines: tuple[int, int] | None) -> None:
    assert range_of(value) == lines


# -- places ------------------------------------------------------------------------------------


def made(home: Path, *folders: str) -> list[str]:
    paths = [home.joinpath(folder) for folder in folders]
    for path in paths:
        path.mkdir(parents=True)
    return [str(path) for path in paths]


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {}, "/h/.config/Code/User"),
        ("linux", {"XDG_CONFIG_HOME": "/xdg"}, "/xdg/Code/User"),
        ("freebsd14", {}, "/h/.config/Code/User"),
        ("darwin", {"XDG_CONFIG_HOME": "/xdg"}, "/h/Library/Application Support/Code/User"),
        ("win32", {}, "/h/AppData/Roaming/Code/User"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/Code/User"),
        ("linux", {"VSCODE_APPDATA": "/given"}, "/given/Code/User"),
    ],
)
def test_the_place_of_vs_code_when_nothing_is_there(
    platform: str, variables: dict[str, str], folder: str
) -> None:
    assert user_folders(Env("/h", variables, platform)) == [folder]
    assert CONNECTOR.roots(Env("/h", variables, platform)) == [folder]


@pytest.mark.parametrize(
    ("platform", "base"),
    [("linux", ".config"), ("darwin", "Library/Application Support"), ("win32", "AppData/Roaming")],
)
def test_every_product_that_is_there_is_found(tmp_path: Path, platform: str, base: str) -> None:
    folders = made(tmp_path, *(f"{base}/{product}/User" for product in PRODUCTS))
    made(tmp_path, f"{base}/Other/User", f"{base}/Codex")
    assert user_folders(Env(str(tmp_path), {}, platform)) == folders
    assert {"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Positron"} <= set(
        PRODUCTS
    )


def test_servers_flatpaks_and_portable_folders_are_found(tmp_path: Path) -> None:
    folders = made(
        tmp_path,
        "portable/user-data/User",
        ".config/Code/User",
        ".var/app/com.visualstudio.code/config/Code/User",
        ".var/app/com.vscodium.codium/config/VSCodium/User",
        ".vscode-server/data/User",
        ".local/share/code-server/User",
    )
    env = Env(str(tmp_path), {"VSCODE_PORTABLE": str(tmp_path / "portable")}, "linux")
    assert sorted(user_folders(env)) == sorted(folders)
    assert user_folders(env)[0] == folders[0]


def test_wsl_without_the_windows_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_WINDOWS_USERS", str(tmp_path / "mnt/c/Users"))
    (folder,) = made(tmp_path, ".config/Code/User")
    assert user_folders(Env(str(tmp_path), {"WSL_DISTRO_NAME": "Ubuntu"}, "linux")) == [folder]


def test_wsl_with_the_windows_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_WINDOWS_USERS", str(tmp_path / "mnt/c/Users"))
    made(tmp_path, "mnt/c/Users/Public")
    (folder,) = made(tmp_path, "mnt/c/Users/me/AppData/Roaming/Code/User")
    assert user_folders(Env(str(tmp_path), {"WSL_DISTRO_NAME": "Ubuntu"}, "linux")) == [folder]
    assert user_folders(Env(str(tmp_path), {}, "linux")) == [str(tmp_path / ".config/Code/User")]


@pytest.mark.parametrize(
    "given",
    ["Code/User", "Code/User/", "Code", "Code/User/workspaceStorage", "Code/User/globalStorage/"],
)
def test_a_configured_path_settles_on_the_user_folder(tmp_path: Path, given: str) -> None:
    made(tmp_path, "Code/User/workspaceStorage", "Code/User/globalStorage")
    assert user_folder_of(f"{tmp_path}/{given}") == str(tmp_path / "Code/User")
    assert CONNECTOR.normalize_root(f"{tmp_path}/{given}") == str(tmp_path / "Code/User")


def test_a_portable_folder_settles_on_its_user_data(tmp_path: Path) -> None:
    made(tmp_path, "VSCode/data/user-data/User", "server/data/User")
    assert user_folder_of(str(tmp_path / "VSCode/data")) == str(
        tmp_path / "VSCode/data/user-data/User"
    )
    assert user_folder_of(str(tmp_path / "server")) == str(tmp_path / "server/data/User")


def test_a_path_that_is_not_there_stays() -> None:
    assert user_folder_of("/does/not/exist/") == "/does/not/exist"
    assert user_folder_of("/") == "/"


@pytest.mark.parametrize(
    ("root", "product"),
    [
        ("/home/me/.config/Code/User", "Code"),
        ("/home/me/.config/Code - Insiders/User/", "Code - Insiders"),
        ("/Users/me/Library/Application Support/VSCodium/User", "VSCodium"),
        ("C:\\Users\\me\\AppData\\Roaming\\Code\\User", "Code"),
        ("/mnt/c/Users/me/AppData/Roaming/Cursor/User", "Cursor"),
        ("/home/me/.vscode-server/data/User", "vscode-server"),
        ("/home/me/.local/share/code-server/User", "code-server"),
        ("/opt/VSCode/data/user-data/User", "VSCode"),
        ("", None),
        ("/User", None),
    ],
)
def test_the_product_of_a_user_folder(root: str, product: str | None) -> None:
    assert product_of(root) == product


def test_vs_code_deletes_nothing() -> None:
    assert CONNECTOR.retention_days("/h/.config/Code/User") is None
