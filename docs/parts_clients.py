"""Generated parts of pages about clients in other languages."""

import json
from pathlib import Path

CLIENTS = Path(__file__).parent.parent / "clients"
PROGRAMS = {
    "Python": "python_thin/08_typed.py",
    "JavaScript and TypeScript": "javascript/08_typed.js",
    "Go": "go/cmd/08_typed/main.go",
    "Rust": "rust/src/bin/08_typed.rs",
    "Java": "java/src/main/java/examples/Typed08.java",
    "C#": "csharp/programs/Typed08.cs",
    "C++": "cpp/programs/08_typed.cpp",
    "C": "c/programs/08_typed.c",
    "Lua": "lua/08_typed.lua",
    "MATLAB and Octave": "matlab/08_typed.m",
}
"""The program that drives by names, in each language."""


def clients(_: str) -> str:
    """What each client passed, as `make clients` found and the tests check."""
    passed = json.loads((CLIENTS / "matrix.json").read_text(encoding="utf-8"))
    groups = list(next(iter(passed.values())))
    rows = [["language", *groups], ["---"] * (1 + len(groups))]
    rows += [[name, *cells.values()] for name, cells in passed.items()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def programs(_: str) -> str:
    """The program that drives by names in each language, as the tests run it, and what it prints."""
    parts = [f"## {language}\n\n{_block(CLIENTS / path)}" for language, path in PROGRAMS.items()]
    return "\n\n".join([_block(CLIENTS / "expected" / "08_typed.txt"), *parts])


def _block(path: Path) -> str:
    return f"```text\n{path.read_text(encoding='utf-8').rstrip()}\n```"
