"""Tests do not sleep: they wait for an event, or move a clock of their own."""
import re
from tree import Finding, files_below

SLEEP = re.compile(r"\b(?:sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|sleep)\s*\(")
# The clock of the machine in unit tests of the folders that decide without one.
CLOCK = re.compile(r"\b(?:system_clock|steady_clock|high_resolution_clock)::now\s*\(")
CLOCKLESS = tuple(f"tests/unit/{folder}/" for folder in
                  ("quota", "protocol", "provider", "config", "persistence"))


def check(root):
    for source in files_below(root, (".cpp", ".hpp", ".mjs", ".js")):
        if not source.path.startswith("tests/"):
            continue
        for number, line in enumerate(source.lines, 1):
            code = line.split("//", 1)[0]
            if SLEEP.search(code):
                yield Finding(source.path, number, "a test must not sleep")
            if source.path.startswith(CLOCKLESS) and CLOCK.search(code):
                yield Finding(source.path, number, "a test of a decision must not read the clock")
