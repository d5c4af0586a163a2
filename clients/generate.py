"""Writes the generated files of every client anew, after an interface has changed: `make typed-clients`."""

from pathlib import Path

from coopsim.features.client_generation import DIALECTS, client_files
from coopsim.features.client_generation.command import built_in

FOLDER = Path(__file__).parent
FOLDERS = {
    "python": "python_thin/coopsim_client",
    "typescript": "javascript",
    "go": "go/coopsim",
    "rust": "rust/src",
    "java": "java/src/main/java/coopsim/modules",
    "csharp": "csharp",
    "c": "c",
    "cpp": "cpp",
    "lua": "lua",
    "matlab": "matlab",
}
"""Where the files of each language are."""


def main() -> None:
    """Write the files that have changed, and print their names."""
    for language, folder in FOLDERS.items():
        for file in client_files(DIALECTS[language], built_in().values()):
            path = FOLDER / folder / file.path
            if not path.is_file() or path.read_text(encoding="utf-8") != file.text:
                path.write_text(file.text, encoding="utf-8")
                print(f"wrote {path}")


if __name__ == "__main__":
    main()
