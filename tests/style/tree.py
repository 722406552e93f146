"""The files of a source tree and what a rule reports about them."""
import os
from dataclasses import dataclass

SKIPPED_FOLDERS = {".git", "build", "node_modules", "__pycache__"}
# Inputs of tests: any bytes at all.
SKIPPED_PATHS = ("tests/fuzz/corpus/", "tests/golden/")
SOURCES = (".cpp", ".hpp")


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    text: str
    warning: bool = False

    def __str__(self):
        kind = "warning: " if self.warning else ""
        return f"{self.path}:{self.line}: {kind}{self.text}"


@dataclass(frozen=True)
class Source:
    path: str  # relative to the root, with slashes
    text: str

    @property
    def lines(self):
        return self.text.splitlines()

    @property
    def folder(self):
        return self.path.split("/", 1)[0] if "/" in self.path else ""


def files_below(root, endings=None):
    """Every text file below root in a stable order; endings limits them."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in SKIPPED_FOLDERS)
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            if path.startswith(SKIPPED_PATHS) or (endings and not name.endswith(endings)):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
            if b"\0" not in content:
                yield Source(path, content.decode("utf-8", "replace"))
