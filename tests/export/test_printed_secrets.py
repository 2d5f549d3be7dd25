"""Secrets in the results of commands: often only the command says that it prints one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.journals import aj
from tests.support.search_records import call
from tests.support.talks import record, write

SECRET = "gT7kQ2mZ-w9Rf"


@pytest.mark.parametrize(
    "command",
    [
        "pass show mail/work",
        "cd app && op read op://vault/db/password",
        "security find-generic-password -a bob -w",
        "kubectl get secret db -o jsonpath={.data.password} | base64 -d",
        "aws secretsmanager get-secret-value --secret-id db-password --output text",
        "gcloud secrets versions access latest --secret=db-password",
        "az keyvault secret show --name db-password --query value -o tsv",
        "echo $DB_PASSWORD",
        "printenv STRIPE_SECRET",
        "cat ~/.config/app/token",
        "cat /etc/app/secret.key",
        "sqlite3 a.db 'select password from users'",
    ],
)
@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_what_a_command_printed_does_not_leave(tmp_path: Path, command: str, form: str) -> None:
    printed = call("c1", "Bash", {"command": command}, f"{SECRET}\n")
    write(tmp_path, [record("user", "u1", "deploy"), *printed])
    assert aj(tmp_path, "sync").returncode == 0
    asked = ["export", "s1", "-f", form, "-o", "-"]
    if form == "json":
        asked.append("--redact")
    done = aj(tmp_path, *asked)
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout
    assert "[redacted" in done.stdout


def test_what_other_commands_printed_stays(tmp_path: Path) -> None:
    printed = "gT7kQ2mZ-w9Rf.log"
    listed = call("c1", "Bash", {"command": "ls build"}, f"{printed}\n")
    write(tmp_path, [record("user", "u1", "list"), *listed])
    assert aj(tmp_path, "sync").returncode == 0
    done = aj(tmp_path, "export", "s1", "-f", "json", "--redact", "-o", "-")
    assert printed in done.stdout
    assert json.loads(done.stdout)


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_a_key_that_goes_on_for_long_leaves_no_half(tmp_path: Path, form: str) -> None:
    """Only the beginning of a result is read together with its command; the key ends nowhere."""
    line = "MIIEpAIBAAKCAQEAz9" + "Q7" * 22
    key = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + f"{line}\n" * 60
    printed = call("c1", "Bash", {"command": "cat deploy.pem"}, f"the key of the machine:\n{key}")
    write(tmp_path, [record("user", "u1", "deploy"), *printed])
    assert aj(tmp_path, "sync").returncode == 0
    done = aj(tmp_path, "export", "s1", "-f", form, "--redact", "-o", "-")
    assert done.returncode == 0, done.stderr
    assert "[redacted private-key]" in done.stdout
    assert line[:18] not in done.stdout
    assert line[-20:] not in done.stdout
