"""`aj export -f html`: themes, the index, several pages, pictures and costs."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

from tests.support.html_judge import DOT
from tests.support.journals import aj, aj_json, claude_line, variables, write_claude


def test_the_theme_is_set(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    for theme in ("dark", "light", "auto"):
        shown = aj(
            tmp_path, "export", "last", "-o", "-", env={"AJ_EXPORT_HTML_THEME": theme}
        ).stdout
        assert f'data-theme="{theme}"' in shown
    assert 'data-theme="auto"' in aj(tmp_path, "export", "last", "-f", "html", "-o", "-").stdout


def test_many_sessions_have_an_index(tmp_path: Path) -> None:
    for number in range(3):
        path = write_claude(tmp_path, f"s{number}")
        with path.open("a") as out:
            title = ["../../x", "<script>alert(1)</script>", "/home/sam/x"][number]
            out.write(
                json.dumps({"type": "summary", "summary": title, "leafUuid": f"s{number}-u3"})
                + "\n"
            )
    aj(tmp_path, "sync", "--no-index")
    out = tmp_path / "out"
    items = aj_json(tmp_path, "export", "--all", "-f", "html", "-o", str(out))["items"]
    names = {Path(item["path"]).name for item in items}
    assert {path.name for path in out.iterdir()} == {"index.html", *names}
    text = (out / "index.html").read_text()
    assert set(re.findall(r'<li><a href="([^"]+)"', text)) == names
    assert "<script>alert" not in text
    assert "/home/sam" not in text
    again = aj(tmp_path, "export", "--all", "-f", "html", "-o", str(out))
    assert again.returncode == 2
    assert "index.html and 3 more already exist" in again.stderr


def test_a_split_session_is_several_files(tmp_path: Path) -> None:
    write_claude(tmp_path, count=20)
    aj(tmp_path, "sync", "--no-index")
    done = aj(tmp_path, "export", "last", "-o", str(tmp_path / "a b.html"), "--split", "8")
    assert "3 pages" in done.stderr
    assert 'href="a%20b.2.html"' in (tmp_path / "a b.html").read_text()
    assert (tmp_path / "a b.3.html").exists()
    (item,) = aj_json(tmp_path, "export", "last", "-o", str(tmp_path / "c.html"), "--split", "8")[
        "items"
    ]
    assert item["pages"] == 3
    (tmp_path / "d.2.html").write_text("mine")
    refused = aj(tmp_path, "export", "last", "-o", str(tmp_path / "d.html"), "--split", "8")
    assert refused.returncode == 2
    assert (tmp_path / "d.2.html").read_text() == "mine"
    assert not (tmp_path / "d.html").exists()


def test_pictures_come_from_the_kept_bytes(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    asked = claude_line("user", 4, "")
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(DOT).decode()}
    asked["message"]["content"] = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": source},
    ]
    with path.open("a") as out:
        out.write(json.dumps(asked).replace("/", "\\/") + "\n")
    aj(tmp_path, "sync", "--no-index")
    path.unlink()
    text = aj(tmp_path, "export", "last", "-f", "html", "-o", "-").stdout
    assert f'src="data:image/png;base64,{source["data"]}"' in text


def test_costs_are_priced_and_unknown_prices_are_reported(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    (tmp_path / ".agent-journal/config.toml").write_text(
        '[pricing."claude-opus-5-5"]\ninput = 100000\noutput = 0\n'
    )
    text = aj(tmp_path, "export", "last", "-f", "html", "-o", "-").stdout
    assert "<dt>Cost</dt><dd>$22.00</dd>" in text  # two responses of 110 tokens
    assert "110 in · 5 out</span> · $11.00" in text


def test_only_html_imports_what_html_needs(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    code = (
        "import sys; from agent_journal.cli.main import run; run(sys.argv[1:]); "
        "sys.exit(bool({'markdown_it', 'genai_prices'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "export", "last", "-f", "json", "-o", "-"],
        env=variables(tmp_path),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
