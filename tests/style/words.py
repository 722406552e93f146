"""Words that stay out of the tree: places of one machine, notes to self, package hosts."""
import re
from tree import Finding, files_below

FORBIDDEN = (
    (re.compile(r"(?<![\w.])/(?:work|root)/"), "a path of one machine"),
    (re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b"), "a note to self: do it, or open an issue"),
    (re.compile(r"registry\.npmjs|(?:deb|security)\.debian\.org|archive\.ubuntu\.com"),
     "a package host"),
    (re.compile(r"[ \t]+$"), "blanks at the end of the line"),
)
# The rules themselves name what they forbid.
EXEMPT = "tests/style/"


def check(root):
    for source in files_below(root):
        if source.path.startswith(EXEMPT):
            continue
        for number, line in enumerate(source.lines, 1):
            for pattern, reason in FORBIDDEN:
                found = pattern.search(line)
                if found:
                    yield Finding(source.path, number, f"{found[0].strip()!r}: {reason}")
