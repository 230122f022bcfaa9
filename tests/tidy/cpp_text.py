"""C++ read as text: without its comments and literals, its includes, and where functions begin and end.

Not a parser: it knows comments, literals, brackets and the words that open a scope, which is enough
for formatted sources.
"""

import re

_LITERAL_OR_COMMENT = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|(?:u8|[uUL])?R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-FxX])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def _blank(text):
    """The same lines, with nothing in them."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    def replace(match):
        part = match.group(0)
        return _blank(part) if part.startswith(("//", "/*")) else part
    return _LITERAL_OR_COMMENT.sub(replace, text)


def code_only(text):
    """`text` with comments blanked and literals emptied; each line keeps its place."""
    def replace(match):
        part = match.group(0)
        if part.startswith(("//", "/*")):
            return _blank(part)
        quote = part[-1]
        return quote + _blank(part[1:-1]) + quote
    return _LITERAL_OR_COMMENT.sub(replace, text)


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def includes(text):
    """(line, bracket, name) of each include."""
    plain = without_comments(text)
    return [(line_at(plain, match.start(1)), match.group(1), match.group(2))
            for match in _INCLUDE.finditer(plain)]


def _without_brackets(head):
    """`head` with each (...) as () and without template arguments."""
    previous = None
    while previous != head:
        previous = head
        head = re.sub(r"\([^()]+\)", "()", head)
    previous = None
    while previous != head:
        previous = head
        head = re.sub(r"<[^<>]*>", "", head)
    return head


def _opens(head):
    """What a brace after `head` opens: "scope", "function", "argument" or "other"."""
    if head.count("(") > head.count(")"):
        return "argument"
    bare = _without_brackets(head)
    if re.search(r"\b(namespace|class|struct|union|enum)\b", bare) or not bare.strip():
        return "scope"
    if "=" in re.sub(r"\boperator\s*[^\s\w(]+", "operator", bare):
        return "other"
    if re.search(r"\bextern\b\s*\"", bare):
        return "scope"
    return "function" if "()" in bare or re.search(r"\brequires\b", bare) else "other"


def functions(text):
    """(first line, last line, name) of each function; lambdas and local classes belong to theirs."""
    code = code_only(text)
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: _blank(m.group(0)), code,
                  flags=re.MULTILINE)
    found = []
    stack = []  # What each open brace opened; a function with where its head began.
    head_begin = 0
    inside = 0  # Open braces since the outermost function began, itself included.
    for match in re.finditer(r"[{};]", code):
        at, mark = match.start(), match.group(0)
        if inside:
            inside += {"{": 1, "}": -1, ";": 0}[mark]
            if inside == 0:
                begin, kind = stack.pop()
                rest = code[at + 1:].lstrip()
                # Braces in a parameter list, or a member's initializer: the head goes on.
                if kind == "argument" or kind == "function" and rest[:1] in (",", "{"):
                    head_begin = begin
                    continue
                if kind == "function":
                    found.append(_span(code, begin, at))
                head_begin = at + 1
            continue
        if mark == "{":
            head = code[head_begin:at]
            kind = _opens(head)
            stack.append((head_begin, kind))
            if kind == "scope":
                head_begin = at + 1
            else:
                inside = 1
        elif mark == "}":
            if stack:
                stack.pop()
            head_begin = at + 1
        else:
            head_begin = at + 1
    return found


def _span(code, begin, end):
    head = code[begin:end]
    # Labels of a class body ("public:") are not the function's.
    label = re.match(r"\s*(?:(?:public|private|protected)\s*:\s*)*", head)
    begin += label.end()
    name = re.search(r"([\w:~]+)\s*\(", code[begin:end])
    return line_at(code, begin), line_at(code, end), name.group(1) if name else "function"
