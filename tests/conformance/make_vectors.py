"""Writes the vectors into files, for those who write a client or a server in another language.

`vectors.json` holds numbers as JSON does; `vectors.jsonl` and `vectors.tsv` hold all cases with every number as text.
Run it after a change of the protocol: `python tests/conformance/make_vectors.py`.
"""

import json
from pathlib import Path

from coopsim.testkit.conformance.vectors import json_lines, plain_json, tab_separated

HERE = Path(__file__).parent
FILE = HERE / "vectors.json"


def files() -> dict[str, str]:
    """Return the text of each file."""
    return {
        "vectors.json": json.dumps(plain_json(), indent=1, ensure_ascii=False) + "\n",
        "vectors.jsonl": json_lines(),
        "vectors.tsv": tab_separated(),
    }


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")
