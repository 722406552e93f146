"""Files and functions stay short."""
import ast
import re
from cpp import functions_of
from tree import SOURCES, Finding, files_below

FILE_WARN = 300
FILE_LINES_MAX = 400
TEST_FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 120


def check_file(source):
    is_test = source.path.startswith("tests/")
    bound = TEST_FILE_LINES_MAX if is_test else FILE_LINES_MAX
    count = len(source.lines)
    if count > bound:
        yield Finding(source.path, count, f"{count} lines, {bound} at most")
    elif count > FILE_WARN and not is_test:
        yield Finding(source.path, count, f"{count} lines, aim at 120", warning=True)


def check_columns(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > COLUMNS_MAX:
            yield Finding(source.path, number, f"{len(line)} columns, aim at 100")


def python_functions(source):
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def check_functions(source):
    found = python_functions(source) if source.path.endswith(".py") else functions_of(source.text)
    for number, length in found:
        if length > FUNCTION_LINES_MAX:
            yield Finding(source.path, number,
                          f"a function of {length} lines, {FUNCTION_LINES_MAX} at most")


def check(root):
    for source in files_below(root, SOURCES + (".py",)):
        yield from check_file(source)
        yield from check_functions(source)
        yield from check_columns(source)
