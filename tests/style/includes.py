"""Who may include what: the table of docs/architecture.md, and the order of includes."""
import os
import re
from tree import SOURCES, Finding, files_below

ABOVE = ("base", "quota", "protocol", "provider", "config", "persistence", "http", "actors", "app")
# Folders outside this table (tests, bench) may include everything.
ALLOWED = {
    "base": set(),
    "quota": {"base"},
    "protocol": {"base"},
    "provider": {"base", "quota", "protocol"},
    "config": {"base"},
    "persistence": {"base", "quota"},
    "http": {"base", "protocol", "provider", "config"},
    "actors": {"base", "quota", "protocol", "provider", "config", "persistence"},
    "app": set(ABOVE),
}
# Single headers beyond the folders: options everywhere for config, values of the decision core for
# http, and of http its ports with the values that they carry.
ALLOWED_HEADERS = {
    "config": re.compile(r"\w+/options\.hpp"),
    "http": re.compile(r"quota/(block_set|cooldown|options|outcome|verdict|windows)\.hpp"),
    "actors": re.compile(r"http/(ports|views)\.hpp"),
}
LIBRARY_FOLDERS = {
    "caf": ("actors/", "app/", "tests/", "bench/"),
    "boost": ("http/", "actors/asio/", "app/", "tests/", "bench/"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def may_include(folder, header):
    target = header.split("/", 1)[0]
    if folder not in ALLOWED or target == folder or target in ALLOWED[folder]:
        return True
    return folder in ALLOWED_HEADERS and bool(ALLOWED_HEADERS[folder].fullmatch(header))


def included(source):
    """(line number, quoted, header) of each include."""
    for number, line in enumerate(source.lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def check_project(root, source, number, header):
    if not os.path.isfile(os.path.join(root, header)):
        yield Finding(source.path, number, f'"{header}" is no file of this tree, named from its root')
    elif not may_include(source.folder, header):
        yield Finding(source.path, number, f"{source.folder}/ must not include {header}")


def check_library(source, number, header):
    folders = LIBRARY_FOLDERS.get(header.split("/", 1)[0])
    if folders and not source.path.startswith(folders):
        yield Finding(source.path, number, f"{header} belongs to {', '.join(folders)} only")
    if header.split("/", 1)[0] in ABOVE:
        yield Finding(source.path, number, f"<{header}> is ours: quotes")


def check_own(root, source, includes):
    own = re.sub(r"\.cpp$", ".hpp", source.path)
    if own == source.path or not includes or not os.path.isfile(os.path.join(root, own)):
        return
    number, _, first = includes[0]
    if first != own:
        yield Finding(source.path, number, f"{own} comes first")


def check(root):
    for source in files_below(root, SOURCES):
        includes = list(included(source))
        for number, quoted, header in includes:
            if quoted:
                yield from check_project(root, source, number, header)
            else:
                yield from check_library(source, number, header)
        yield from check_own(root, source, includes)
