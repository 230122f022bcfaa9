#!/usr/bin/env python3
"""Checks the house rules of rules.py: tidy.py CHECK --source FOLDER [--build FOLDER].

Each fault is one line, "file:line: what is wrong; what to do instead". Exit codes: 0 tidy, 1 faults,
77 a tool is missing (ctest shows it as skipped).
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass

import cpp_text
import rules

SKIPPED = 77


@dataclass(frozen=True, order=True)
class Fault:
    path: str
    line: int
    what: str
    instead: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}; {self.instead}"


class Skip(Exception):
    """A check cannot be made on this machine; the text says why."""


def read_tree(source):
    """Path -> text of every source and CMake list below the folders of rules.TOP_FOLDERS."""
    tree = {}
    for top in rules.TOP_FOLDERS:
        for path in sorted((source / top).rglob("*")):
            if path.suffix in CPP_SUFFIXES or path.name == "CMakeLists.txt":
                tree[path.relative_to(source).as_posix()] = path.read_text(encoding="utf-8")
    return tree


GOOD_SUFFIXES = (".h", ".cc")
CPP_SUFFIXES = GOOD_SUFFIXES + (".hpp", ".hh", ".hxx", ".cpp", ".cxx", ".c", ".inl", ".ipp")


def cpp_files(tree):
    return {path: text for path, text in tree.items() if path.endswith(CPP_SUFFIXES)}


def is_test(path):
    return path.startswith("tests/")


# What may be included and linked.

def check_includes(tree):
    faults = []
    for path, text in cpp_files(tree).items():
        for line, bracket, name in cpp_text.includes(text):
            fault = include_fault(tree, path, bracket, name)
            if fault:
                faults.append(Fault(path, line, *fault))
    for path in cpp_files(tree):
        if not is_test(path) and rules.row_of(path) is None:
            faults.append(Fault(path, 1, "lies in a folder without a row in tests/tidy/rules.py",
                                "move it to a folder that has one, or decide the folder's row"))
    return faults


def include_fault(tree, path, bracket, name):
    """(what, instead) of an include that breaks a rule, or None."""
    top = name.split("/")[0]
    is_ours = top in rules.TOP_FOLDERS and "/" in name
    if bracket == "<":
        if is_ours and name in tree:
            return (f"includes <{name}> of Octet in angle brackets", f'write #include "{name}"')
        return None
    if not is_ours:
        return (f'includes "{name}" by a path that does not start at the top',
                'write the path from the top, as in "shared/base/status.h"; '
                "other libraries' headers stand in <>")
    if name not in tree and not name.endswith(".pb.h"):
        return (f'includes "{name}", which does not exist', "correct the path")
    if is_test(path):
        return None
    if is_test(name):
        return (f'includes "{name}"', "programs never include tests")
    sides = {path.split("/")[0], top}
    if sides == {"coordinator", "worker"}:
        return (f'includes "{name}"; the coordinator and the worker never include each other',
                "say it in a message of proto/ or move the value to shared/")
    own, other = rules.row_of(path), rules.row_of(name)
    if own is None or other is None or own == other or other in rules.ROWS[own]:
        return None
    return (f'includes "{name}", but {own} may include only ' + said(rules.ROWS[own]),
            "take what you need as an argument, or move the code to a folder that may know both")


def said(folders):
    return ", ".join(folders) if folders else "itself"


_CALL = re.compile(r"\b(octet_library|octet_program|add_library|add_executable"
                   r"|target_link_libraries)\s*\(([^()]*)\)")


def check_links(tree):
    faults = []
    for path, text in tree.items():
        if not path.endswith("CMakeLists.txt") or is_test(path) or path == "proto/CMakeLists.txt":
            continue
        # Comments go, so that a call in one is none.
        plain = re.sub(r"#[^\n]*", lambda m: " " * len(m.group(0)), text)
        folder = path.rsplit("/", 1)[0]
        if folder not in rules.ROWS:
            if _CALL.search(plain):
                faults.append(Fault(path, 1, f"{folder} has no row in tests/tidy/rules.py",
                                    "decide what it may include and add the row"))
            continue
        for call in _CALL.finditer(plain):
            line = cpp_text.line_at(plain, call.start())
            faults += link_faults(path, folder, line, call.group(1), call.group(2).split())
        faults += missing_links(tree, path, folder, plain)
    return faults


def link_faults(path, folder, line, function, words):
    if function not in ("octet_library", "octet_program"):
        return [Fault(path, line, f"calls {function}",
                      "use octet_library(DEPENDS ... USES ...) or octet_program, "
                      "whose lists are checked")]
    faults = []
    for keyword, word in listed(words):
        if keyword == "DEPENDS":
            allowed = {rules.target_of(other) for other in rules.ROWS[folder]}
            if function == "octet_program":
                allowed.add(rules.target_of(folder))
            if word not in allowed:
                faults.append(Fault(path, line, f"links {word}, but {folder} may link only "
                                    + said(sorted(allowed)), "drop it from DEPENDS"))
        elif keyword == "USES" and word not in rules.FREE_TARGETS:
            library = next((each for each in rules.LIBRARIES if word in each.targets), None)
            if library is None:
                faults.append(Fault(path, line, f"uses {word}, which tests/tidy/rules.py does not "
                                    "know", "choose the folder that wraps it and add it there"))
            elif folder not in library.folders:
                faults.append(Fault(path, line, f"uses {word}, which only "
                                    + said(library.folders) + " may link", library.instead))
    return faults


def listed(words):
    """(keyword, word) of the lists DEPENDS and USES of a call's words."""
    keyword = ""
    for word in words:
        if word in ("DEPENDS", "USES"):
            keyword = word
        elif keyword:
            yield keyword, word


def missing_links(tree, path, folder, plain):
    """A folder lists what it includes itself, not what comes along with another."""
    call = re.search(r"\boctet_library\s*\(([^()]*)\)", plain)
    if call is None:
        return []
    linked = {word for keyword, word in listed(call.group(1).split()) if keyword == "DEPENDS"}
    needed = set()
    for name, text in cpp_files(tree).items():
        if rules.row_of(name) == folder and not name.endswith("/main.cc"):
            needed |= {rules.row_of(each) for _, bracket, each in cpp_text.includes(text)
                       if bracket == '"'}
    return [Fault(path, cpp_text.line_at(plain, call.start()),
                  f"does not link {rules.target_of(other)}, which the folder includes",
                  "add it to DEPENDS")
            for other in sorted(needed - {None, folder})
            if rules.target_of(other) not in linked]


def check_third_party(tree):
    faults = []
    for path, text in cpp_files(tree).items():
        if is_test(path):
            continue
        folder = rules.row_of(path)
        for line, bracket, name in cpp_text.includes(text):
            if bracket != "<":
                continue
            library = next((each for each in rules.LIBRARIES if re.match(each.headers, name)), None)
            if library is None:
                if "." in name and not rules.SYSTEM_HEADERS.match(name):
                    faults.append(Fault(path, line, f"includes <{name}> of a library that "
                                        "tests/tidy/rules.py does not know",
                                        "choose the folder that wraps it and add it there"))
            elif folder not in library.folders:
                faults.append(Fault(path, line, f"includes <{name}>, but {library.name} belongs in "
                                    + said(library.folders or ("tests",)), library.instead))
            elif not path.endswith(".cc"):
                faults.append(Fault(path, line, f"includes <{name}> in a header",
                                    f"keep {library.name} in the .cc file: a struct State behind a "
                                    "unique_ptr, or a free function"))
    return faults


# What may be called, how long things may be.

def check_banned_calls(tree):
    faults = []
    for path, text in cpp_files(tree).items():
        code = cpp_text.code_only(text)
        for ban in rules.BANS:
            if re.fullmatch(ban.only_in, path):
                continue
            for match in re.finditer(ban.pattern, code):
                faults.append(Fault(path, cpp_text.line_at(code, match.start()),
                                    f"{ban.what} ({match.group(0).strip().rstrip('(')})",
                                    ban.instead))
        words = set(re.split(r"[_.]", path.rsplit("/", 1)[1]))
        for word in sorted(words & set(rules.EMPTY_NAMES)):
            faults.append(Fault(path, 1, f'has "{word}" in its name, which says nothing',
                                "name the noun that the file is about"))
        if not path.endswith(GOOD_SUFFIXES):
            faults.append(Fault(path, 1, "is no .h or .cc file", "rename it"))
    return faults


def check_length(tree):
    faults = []
    for path, text in cpp_files(tree).items():
        lines = text.splitlines()
        lines_max = rules.TEST_FILE_LINES_MAX if is_test(path) else rules.FILE_LINES_MAX
        if len(lines) > lines_max:
            faults.append(Fault(path, lines_max + 1, f"has {len(lines)} lines of at most "
                                f"{lines_max}", "split it by meaning, a noun per file"))
        for number, line in enumerate(lines, 1):
            if len(line) > rules.LINE_LENGTH_MAX:
                faults.append(Fault(path, number, f"has {len(line)} columns of at most "
                                    f"{rules.LINE_LENGTH_MAX}", "break the line"))
        for first, last, name in cpp_text.functions(text):
            length = last - first + 1
            if length > rules.FUNCTION_LINES_MAX:
                faults.append(Fault(path, first, f"{name} has {length} lines of at most "
                                    f"{rules.FUNCTION_LINES_MAX}", "give its parts names"))
    return faults


# What needs a tool.

def check_format(source, tree):
    tool = shutil.which("clang-format-14")
    if tool is None:
        raise Skip("clang-format-14 is not installed (Debian package clang-format-14)")
    paths = sorted(cpp_files(tree))
    if not paths:
        return []
    output = subprocess.run([tool, "--style=file", "--dry-run", *paths], cwd=source, text=True,
                            stderr=subprocess.PIPE, check=False).stderr
    first = {}
    for match in re.finditer(r"^(.+?):(\d+):\d+: (?:warning|error): ", output, re.MULTILINE):
        first.setdefault(match.group(1), int(match.group(2)))
    return [Fault(path, line, "is not formatted", f"run clang-format-14 -i --style=file {path}")
            for path, line in first.items()]


class HeaderCheck:
    """Compiles each header alone; what compiled once is known by the hash of all it reads of us."""

    def __init__(self, source, build, tree):
        self._source, self._build, self._tree = source, build, tree
        self._commands = read_commands(source, build)
        self._known_file = build / "tidy" / "headers.json"
        try:
            self._known = set(json.loads(self._known_file.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            self._known = set()

    def faults(self):
        headers = [path for path in sorted(cpp_files(self._tree)) if path.endswith(".h")]
        keys = {header: self._key(header) for header in headers}
        unknown = [header for header in headers if keys[header] not in self._known]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            errors = dict(zip(unknown, pool.map(self._compile, unknown)))
        good = sorted({keys[header] for header in headers if not errors.get(header)})
        self._known_file.parent.mkdir(parents=True, exist_ok=True)
        self._known_file.write_text(json.dumps(good), encoding="utf-8")
        print(f"{len(headers)} headers, {len(unknown)} compiled, the others are known")
        return [Fault(header, *error_line(error, header), "include what it uses")
                for header, error in errors.items() if error]

    def _flags(self, header):
        """Of a file of the same folder, or else of any."""
        folder = header.rsplit("/", 1)[0]
        near = [flags for path, flags in self._commands.items()
                if path.rsplit("/", 1)[0] == folder]
        return near[0] if near else next(iter(self._commands.values()))

    def _key(self, header):
        """The hash of the header, of all of Octet's files that it includes, and of the flags."""
        digest = hashlib.sha256("\0".join(self._flags(header)).encode())
        seen, waiting = set(), [header]
        while waiting:
            path = waiting.pop()
            if path in seen:
                continue
            seen.add(path)
            text = self._text(path)
            digest.update(f"{path}\0{text}\0".encode())
            waiting += sorted(name for _, bracket, name in cpp_text.includes(text)
                              if bracket == '"')
        return digest.hexdigest()

    def _text(self, path):
        if path in self._tree:
            return self._tree[path]
        generated = self._build / path
        return generated.read_text(encoding="utf-8") if generated.exists() else ""

    def _compile(self, header):
        """The compiler's complaint, or nothing."""
        command = [*self._flags(header), "-fsyntax-only", "-x", "c++", "-"]
        run = subprocess.run(command, input=f'#include "{header}"\n', cwd=self._source, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return run.stdout or "the compiler failed" if run.returncode else ""


def error_line(output, header):
    """(line, what) of the first error of a compiler's output."""
    match = re.search(r"^(.+?):(\d+):\d+: (?:fatal )?error: (.*)$", output, re.MULTILINE)
    if match is None:
        return 1, "does not compile alone: " + output.strip().splitlines()[0]
    in_header = match.group(1).endswith(header)
    where = "" if in_header else f" (in {match.group(1)}:{match.group(2)})"
    return (int(match.group(2)) if in_header else 1,
            f"does not compile alone: {match.group(3)}{where}")


def read_commands(source, build):
    """Path -> compiler and flags (without input and output), from compile_commands.json."""
    listing = build / "compile_commands.json"
    if not listing.exists():
        raise Skip(f"{listing} is missing; configure first")
    commands = {}
    for entry in json.loads(listing.read_text(encoding="utf-8")):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(build) or not path.is_relative_to(source):
            continue
        words = shlex.split(entry["command"])
        compiler = next(word for word in words if not word.endswith("ccache"))
        kept, previous = [compiler], ""
        for word in words:
            if previous in ("-isystem", "-iquote") or re.match(r"-(I|D|std=|W|f|m|isystem|iquote)",
                                                               word):
                kept.append(word)
            previous = word
        commands[path.relative_to(source).as_posix()] = kept
    if not commands:
        raise Skip(f"{listing} names no source of {source}")
    return commands


def run_check(name, source, build):
    tree = read_tree(source)
    if name == "format":
        return check_format(source, tree)
    if name == "headers":
        return HeaderCheck(source, build, tree).faults()
    return TREE_CHECKS[name](tree)


TREE_CHECKS = {
    "includes": check_includes,
    "links": check_links,
    "third_party": check_third_party,
    "banned_calls": check_banned_calls,
    "length": check_length,
}
CHECKS = (*TREE_CHECKS, "headers", "format")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check", choices=(*CHECKS, "all"))
    parser.add_argument("--source", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    options = parser.parse_args()
    source, build = options.source.resolve(), options.build.resolve()
    count = 0
    for name in CHECKS if options.check == "all" else (options.check,):
        try:
            faults = sorted(run_check(name, source, build))
        except Skip as reason:
            print(f"tidy.{name} is skipped: {reason}")
            if options.check != "all":
                return SKIPPED
            continue
        for fault in faults:
            print(fault)
        print(f"tidy.{name}: {len(faults)} fault(s)")
        count += len(faults)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
