"""The statements that invented code is made of, in five languages.

A line with a name in braces is filled from the words of a repository. A third of the statements
has no such name: these are the lines that everybody writes.
"""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """How the code of a language looks."""

    name: str
    ending: str
    step: str
    imports: tuple[str, ...]
    opening: tuple[str, ...]  # of a function
    closing: tuple[str, ...]
    statements: tuple[tuple[str, ...], ...]
    comment: str


PYTHON = Language(
    name="python",
    ending=".py",
    step="    ",
    imports=("from __future__ import annotations", "", "import json", "from typing import Any"),
    opening=("def {verb}_{noun}({field}: {Noun}, limit: int = {n}) -> list[str]:",),
    closing=("    return result",),
    statements=(
        ("result = []",),
        ("if not {field}:", "    return []"),
        ("if {field} is None:", '    raise ValueError("{noun} has no {field}")'),
        ("for item in items:", "    result.append(item)"),
        ("for {noun} in {field}.{noun}s:", "    result.append({noun}.{field2})"),
        ("try:", "    data = json.loads({field})", "except ValueError:", "    return None"),
        ("with open(path) as file:", "    {noun} = json.load(file)"),
        ("{noun}_{field} = {verb}_{noun2}({noun}, limit={n})",),
        ("total_{field} = sum({noun}.{field} for {noun} in {noun}s)",),
        ('logger.info("{verb} %s of {noun}", {field})',),
        ("if {noun}.{field} > {n}:", "    {noun}.{field} = {n}", "    continue_{verb} = True"),
        ('self.{field} = {noun}.{verb}("{field2}", {n})',),
        ("{field}_by_{noun} = {{noun}.{field}: {noun}.{field2} for {noun} in {noun2}s}",),
        ("parser.add_argument('--{field}', type=int, default={n}, help='{field} of the {noun}')",),
        ("self.{field} = {field}",),
        ("assert {verb}_{noun}({noun}, {n}) == {m}",),
        ('query = "SELECT {field}, {field2} FROM {noun}s WHERE {field} > {n}"',),
        ("result.sort(key=lambda {noun}: {noun}.{field})",),
        ("return result",),
    ),
    comment="# {Verb} every {noun} whose {field} is over {n}.",
)
TYPESCRIPT = Language(
    name="typescript",
    ending=".ts",
    step="  ",
    imports=("import { useState } from 'react';", "import { {Noun} } from './{noun}';", ""),
    opening=("export async function {verb}{Noun}({field}: {Noun}[], limit = {n}) {",),
    closing=("  return result;", "}"),
    statements=(
        ("const result = [];",),
        ("if (!{field}) {", "  return null;", "}"),
        ("for (const item of items) {", "  result.push(item);", "}"),
        ("for (const {noun} of {field}) {", "  result.push({noun}.{field2});", "}"),
        (
            "try {",
            "  await {verb}{Noun2}({noun}, {n});",
            "} catch (error) {",
            "  console.error(error);",
            "}",
        ),
        ("const {noun}{Field} = await fetch{Noun}({noun}.id, { limit: {n} });",),
        ("const [{field}, set{Field}] = useState({n});",),
        ("if ({noun}.{field} > {n}) {", "  {noun}.{field} = {n};", "  return;", "}"),
        ("const url = `/api/{noun}s/${{noun}.id}/{field}?limit={n}`;",),
        ("expect({verb}{Noun}({noun}, {n})).toEqual({m});",),
        ("export const {VERB}_{NOUN}_LIMIT = {n};",),
        ("const {field}By{Noun} = new Map({noun}s.map((entry) => [entry.{field}, entry]));",),
        (
            "it('{verb}s the {noun} with {field} {n}', () => {",
            "  expect({field}).toBe({n});",
            "});",
        ),
        ("{noun}s.sort((a, b) => a.{field} - b.{field});",),
        ("const response = await fetch(url);", "const data = await response.json();"),
        ("logger.info('{verb} {noun}', { {field}, {field2} });",),
        ("return result;",),
    ),
    comment="// {Verb} every {noun} whose {field} is over {n}.",
)
GO = Language(
    name="go",
    ending=".go",
    step="\t",
    imports=("package {noun}", "", "import (", '\t"context"', '\t"fmt"', ")"),
    opening=("func {Verb}{Noun}(ctx context.Context, {field} []{Noun}) ([]string, error) {",),
    closing=("\treturn result, nil", "}"),
    statements=(
        ("result := []string{}",),
        ("if err != nil {", "\treturn nil, err", "}"),
        ("{noun}, err := {verb}{Noun2}(ctx, {n})", "if err != nil {", "\treturn nil, err", "}"),
        ("for _, {noun} := range {field} {", "\tresult = append(result, {noun}.{Field2})", "}"),
        ("if len({field}) > {n} {", "\t{field} = {field}[:{n}]", "}"),
        (
            "if {noun}.{Field} == nil {",
            '\treturn nil, fmt.Errorf("{verb} {noun}: no {field}")',
            "}",
        ),
        ("{field}By{Noun} := make(map[string]{Noun2}, {n})",),
        ('flag.IntVar(&{field}, "{noun}-{field}", {n}, "{field} of a {noun}")',),
        ("{noun}.{Field} += {noun2}.{Field2} * {n}",),
        ("defer {noun}.Close()",),
        ("mu.Lock()", "defer mu.Unlock()"),
        ("{noun}.{Field} = {verb}{Field}({noun}.{Field2}, {n})",),
        ('log.Printf("{verb} {noun} %v", {noun}.{Field})',),
        ('t.Errorf("{Verb}{Noun}() = %v, want {n}", got)',),
        ("return nil",),
    ),
    comment="// {Verb}{Noun} returns every {noun} whose {field} is over {n}.",
)
JAVA = Language(
    name="java",
    ending=".java",
    step="    ",
    imports=("package shop.{noun};", "", "import java.util.List;", "import java.util.Optional;"),
    opening=("    public List<{Noun}> {verb}{Noun}(List<{Noun}> {field}, int limit) {",),
    closing=("        return result;", "    }"),
    statements=(
        ("    List<{Noun}> result = new ArrayList<>();",),
        ("    if ({field} == null) {", "        return List.of();", "    }"),
        ("    for ({Noun} {noun} : {field}) {", "        result.add({noun});", "    }"),
        (
            "    if ({noun}.get{Field}() > {n}) {",
            "        {noun}.set{Field}({n});",
            "        return {noun};",
            "    }",
        ),
        ("    private static final int {VERB}_{FIELD} = {n};",),
        ("    Map<String, {Noun}> {field}By{Noun} = new HashMap<>({n});",),
        ("    {noun}.{verb}{Noun2}({noun2}, {field}, {n});",),
        ("    this.{field} = {field};",),
        (
            "    try {",
            "        {noun}Service.{verb}({noun}, {n});",
            "    } catch (IOException e) {",
            "        throw new RuntimeException(e);",
            "    }",
        ),
        ("    Optional<{Noun2}> {noun2} = {noun}Repository.findBy{Field}({field});",),
        ('    log.info("{verb} {noun} {}", {noun}.get{Field}());',),
        ("    assertEquals({n}, {noun}.get{Field2}());",),
        ("    @Override",),
    ),
    comment="    // {Verb} every {noun} whose {field} is over {n}.",
)
MARKDOWN = Language(
    name="markdown",
    ending=".md",
    step="",
    imports=("# {Noun}s", "", "How this service keeps {noun}s."),
    opening=("## {Verb} a {noun}", ""),
    closing=("",),
    statements=(
        ("```console", "$ shop {verb} {noun} --{field} {n}", "```"),
        ("- `{field}`: at most {n} for each {noun}",),
        ("{Verb} at most {n} {noun}s, or the {field} of a {noun2} is lost.",),
        ("1. {verb} the {noun}", "2. {verb2} its {field}"),
        ('- `"{field}": {n}` of the {noun} says how to {verb} it',),
        ("| {noun} | {field} | {n} |",),
        ("Every {noun} has a {field}; {verb} it before the {noun2}.",),
        ("```console", "$ make test", "```"),
        ("See also the [settings](settings.md).",),
    ),
    comment="> {Verb} the {noun} first.",
)
LANGUAGES = (PYTHON, TYPESCRIPT, GO, JAVA, MARKDOWN)
