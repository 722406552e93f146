"""docs/translation.md lists the lossy rules of the codecs: all of them, and no others."""
import os
import re
from tree import Finding, files_below

CODECS = "protocol/canonical/"
PAGE = "docs/translation.md"
NAME = r"(?:chat|responses|messages|gemini|request)\.[a-z0-9_]+"
CONSTANT = re.compile(r'constexpr std::string_view \w+ = "(' + NAME + r')";')
ROW = re.compile(r"^\| `(" + NAME + r")` \|")


def constants(root):
    for source in files_below(os.path.join(root, CODECS), (".hpp",)):
        for number, line in enumerate(source.lines, 1):
            found = CONSTANT.search(line)
            if found:
                yield found[1], CODECS + source.path, number


def rows(root):
    page = os.path.join(root, PAGE)
    if not os.path.exists(page):
        return
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = ROW.match(line)
            if found:
                yield found[1], number


def check(root):
    listed = dict(rows(root))
    known = set()
    for rule, path, number in constants(root):
        known.add(rule)
        if rule not in listed:
            yield Finding(path, number, f"{rule} is not listed in {PAGE}")
    for rule, number in listed.items():
        if rule not in known:
            yield Finding(PAGE, number, f"no codec has a rule {rule}")
