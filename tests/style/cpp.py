"""Finds the functions of a C++ source by their braces, without a compiler or preprocessor."""
import re

LITERALS = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*\"
        |(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.S | re.X)
CONTAINER = re.compile(
    r'^(?:inline\s+)?namespace\b|^extern\s*@|^(?:typedef\s+)?(?:class|struct|union|enum)\b[^()]*$')
ACCESS = ("public", "private", "protected")
INITIALIZERS = re.compile(r"\)[^;{}]*?(?<!:):(?!:)")


def without_literals(text):
    """The same text with comments, strings and characters blanked, line by line in place."""
    def blank(match):
        kept = "\n" * match[0].count("\n")
        return kept if match[0].startswith("/") else "@" + kept
    text = LITERALS.sub(blank, text)
    directive = r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*"
    return re.sub(directive, lambda match: "\n" * match[0].count("\n"), text, flags=re.M)


def kind_of(head):
    """What a brace after this text opens: container, member initializer, function, value, test."""
    head = re.sub(r"^(?:template\s*<[^{};]*?>\s*(?=[\w\[]))+", "", head.strip())
    if CONTAINER.match(head):
        return "container"
    if "(" not in head or head.endswith(("=", ",")):
        return "value"
    if INITIALIZERS.search(head) and re.search(r"[\w>]$", head):
        return "member"
    return "test" if head.startswith("TEST_CASE") else "function"


def matching_brace(text, at):
    depth = 0
    for index in range(at, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    return len(text) - 1


def functions_of(text):
    """(line of its first word, lines) of each function body; TEST_CASEs are not among them."""
    code = without_literals(text)
    head, head_start, at = "", 0, 0
    while at < len(code):
        char = code[at]
        if char == "{":
            kind = kind_of(head)
            end = matching_brace(code, at)
            if kind == "function":
                yield (code.count("\n", 0, head_start) + 1,
                       code.count("\n", head_start, end) + 1)
            if kind in ("member", "value"):
                head, at = head + "@", end
            elif kind == "container":
                head = ""
            else:
                head, at = "", end
        elif char in ";}" or (char == ":" and head.strip() in ACCESS):
            head = ""
        elif head or not char.isspace():
            if not head:
                head_start = at
            head += char
        at += 1
