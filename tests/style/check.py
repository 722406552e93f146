"""check.py RULE [--root FOLDER]: one line per finding; exit status 1 when one is an error."""
import argparse
import importlib
import os
import sys

RULES = ("includes", "lengths", "rules_listed", "waits", "words")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rule", choices=RULES)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.join(here, "..", ".."))
    options = parser.parse_args()
    findings = list(importlib.import_module(options.rule).check(options.root))
    for finding in findings:
        print(finding)
    return 1 if any(not finding.warning for finding in findings) else 0


if __name__ == "__main__":
    sys.exit(main())
