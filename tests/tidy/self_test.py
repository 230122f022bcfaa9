#!/usr/bin/env python3
"""Shows that each rule of tidy catches what it is there for, and leaves alone what is right."""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import cpp_text
import rules
import tidy


def lines_of(check, tree):
    """The faults of a check as "file:line"."""
    return [f"{fault.path}:{fault.line}" for fault in sorted(check(tree))]


class Includes(unittest.TestCase):
    def check(self, path, *lines, also=()):
        tree = {path: "\n".join(lines), **{name: "" for name in also}}
        return tidy.check_includes(tree)

    def assert_caught(self, path, include, *also, says):
        faults = self.check(path, "// First.", include, also=also)
        self.assertEqual([fault.line for fault in faults], [2], faults)
        self.assertIn(says, str(faults[0]))

    def test_a_folder_outside_the_row_is_caught(self):
        self.assert_caught("shared/base/a.cc", '#include "shared/objects/b.h"', "shared/objects/b.h",
                           says="shared/base may include only itself")
        self.assert_caught("cli/a.cc", '#include "coordinator/store/b.h"', "coordinator/store/b.h",
                           says="cli may include only shared/base, shared/objects")
        self.assert_caught("coordinator/controllers/a.cc", '#include "coordinator/api/b.h"',
                           "coordinator/api/b.h", says="coordinator/controllers may include only")
        self.assert_caught("coordinator/quota/a.h", '#include "proto/control.pb.h"',
                           says="coordinator/quota may include only")

    def test_the_two_sides_never_meet(self):
        self.assert_caught("worker/main.cc", '#include "coordinator/store/b.h"',
                           "coordinator/store/b.h", says="never include each other")

    def test_programs_do_not_include_tests(self):
        self.assert_caught("worker/input/a.cc", '#include "tests/unit/b.h"', "tests/unit/b.h",
                           says="never include tests")

    def test_a_path_must_start_at_the_top_and_exist(self):
        self.assert_caught("shared/base/a.cc", '#include "status.h"', "shared/base/status.h",
                           says="from the top")
        self.assert_caught("shared/base/a.cc", '#include "../base/status.h"',
                           "shared/base/status.h", says="from the top")
        self.assert_caught("shared/base/a.cc", '#include "shared/base/absent.h"',
                           says="does not exist")
        self.assert_caught("shared/base/a.cc", "#include <shared/base/status.h>",
                           "shared/base/status.h", says="angle brackets")

    def test_a_folder_without_a_row_is_caught(self):
        self.assertEqual(lines_of(tidy.check_includes, {"coordinator/magic/a.cc": ""}),
                         ["coordinator/magic/a.cc:1"])

    def test_the_row_itself_the_own_folder_and_std_are_fine(self):
        self.assertEqual(self.check(
            "worker/agent/a.cc", '#include "worker/agent/b.h"', '#include "shared/base/c.h"',
            '#include "proto/control.pb.h"', "#include <vector>", '// #include "cli/d.h"',
            also=("worker/agent/b.h", "shared/base/c.h", "cli/d.h")), [])
        self.assertEqual(self.check("tests/unit/x/a.cc", '#include "cli/d.h"', also=("cli/d.h",)),
                         [])
        self.assertEqual(self.check("coordinator/main.cc", '#include "coordinator/api/d.h"',
                                    also=("coordinator/api/d.h",)), [])


class Links(unittest.TestCase):
    def check(self, folder, text, **sources):
        tree = {f"{folder}/CMakeLists.txt": text}
        tree.update({f"{folder}/{name}.cc": source for name, source in sources.items()})
        return tidy.check_links(tree)

    def assert_caught(self, folder, text, says, line=1):
        faults = self.check(folder, text)
        self.assertEqual([fault.line for fault in faults], [line], faults)
        self.assertIn(says, str(faults[0]))

    def test_a_target_outside_the_row_is_caught(self):
        self.assert_caught("shared/objects", "# One.\noctet_library(\n  DEPENDS shared_base proto)",
                           "shared/objects may link only shared_base", line=2)
        self.assert_caught("worker", "octet_program(octet-worker DEPENDS coordinator_store)",
                           "links coordinator_store")

    def test_a_library_outside_its_wrapper_is_caught(self):
        self.assert_caught("worker/input", "octet_library(USES Boost::headers)",
                           "only coordinator/api may link")
        self.assert_caught("worker/input", "octet_library(USES Qt::Core)", "does not know")

    def test_a_link_list_that_is_not_checked_is_caught(self):
        self.assert_caught("worker/input", "target_link_libraries(worker_input PUBLIC cli)",
                           "calls target_link_libraries")
        self.assert_caught("worker/magic", "octet_library()", "has no row")

    def test_an_included_folder_that_is_not_linked_is_caught(self):
        faults = self.check("shared/tpu", "octet_library(DEPENDS shared_base)",
                            slice='#include "shared/model/network.h"\n')
        self.assertIn("does not link shared_model", str(faults[0]))

    def test_a_right_list_is_fine(self):
        self.assertEqual(self.check(
            "shared/transport", "# target_link_libraries(x y)\n"
            "octet_library(DEPENDS shared_base proto USES cppzmq Threads::Threads)",
            socket='#include "shared/base/status.h"\n#include "proto/control.pb.h"\n'), [])
        self.assertEqual(self.check("cli", "octet_program(octet DEPENDS cli USES CLI11::CLI11)"), [])


class ThirdParty(unittest.TestCase):
    HEADERS = {
        "ZeroMQ": "zmq.hpp", "SQLite": "sqlite3.h", "yaml-cpp": "yaml-cpp/eventhandler.h",
        "nlohmann JSON": "nlohmann/json.hpp", "Boost": "boost/beast.hpp",
        "prometheus-cpp": "prometheus/registry.h", "spdlog": "spdlog/spdlog.h",
        "oneDNN": "oneapi/dnnl/dnnl.hpp", "OpenMP": "omp.h", "CLI11": "CLI/CLI.hpp",
        "curl": "curl/curl.h", "OpenSSL": "openssl/evp.h", "protobuf": "google/protobuf/message.h",
        "GoogleTest": "gtest/gtest.h", "Google Benchmark": "benchmark/benchmark.h"}

    def check(self, path, header):
        return tidy.check_third_party({path: f"\n#include <{header}>\n"})

    def test_each_library_is_caught_outside_its_wrapper(self):
        self.assertEqual(set(self.HEADERS), {library.name for library in rules.LIBRARIES})
        for name, header in self.HEADERS.items():
            faults = self.check("coordinator/quota/a.cc", header)
            self.assertEqual([fault.line for fault in faults], [2], name)
            self.assertIn(name, faults[0].what)

    def test_each_library_is_fine_in_its_wrapper_and_caught_in_its_header(self):
        for library in rules.LIBRARIES:
            for folder in library.folders:
                header = self.HEADERS[library.name]
                self.assertEqual(self.check(f"{folder}/a.cc", header), [], library.name)
                self.assertIn("in a header", str(self.check(f"{folder}/a.h", header)[0]))

    def test_an_unknown_library_is_caught(self):
        self.assertIn("does not know", str(self.check("shared/base/a.cc", "Eigen/dense.h")[0]))

    def test_std_and_system_headers_and_tests_are_fine(self):
        for header in ("vector", "cstdint", "sys/stat.h", "unistd.h", "immintrin.h"):
            self.assertEqual(self.check("shared/base/a.h", header), [])
        self.assertEqual(self.check("tests/unit/x/a.cc", "gtest/gtest.h"), [])


class BannedCalls(unittest.TestCase):
    def check(self, path, code):
        return lines_of(tidy.check_banned_calls, {path: f"// A file.\n{code}\n"})

    BAD = (
        "auto t = std::chrono::system_clock::now();",
        "auto t = std::chrono::steady_clock::now();",
        "clock_gettime(CLOCK_MONOTONIC, &t);",
        "auto t = time(nullptr);",
        "std::this_thread::sleep_for(1s);",
        "usleep(100);",
        "::nanosleep(&t, nullptr);",
        "sleep(1);",
        "std::random_device device;",
        "std::mt19937 engine(1);",
        "std::normal_distribution<float> normal;",
        "std::shuffle(a.begin(), a.end(), engine);",
        "int n = rand();",
        'auto home = std::getenv("HOME");',
        'setenv("A", "b", 1);',
        "using namespace std;",
        'std::cout << "x";',
        'printf("x");',
        'std::fprintf(stdout, "x");',
        "std::thread thread(body);",
        "std::jthread thread(body);",
        "auto f = std::async(body);",
    )

    def test_each_is_caught(self):
        for code in self.BAD:
            self.assertEqual(self.check("coordinator/fleet/a.cc", code),
                             ["coordinator/fleet/a.cc:2"], code)

    def test_clocks_sleeps_chance_and_threads_are_caught_in_tests_too(self):
        for code in (*self.BAD[:12], *self.BAD[19:]):
            self.assertEqual(self.check("tests/unit/x/a_test.cc", code),
                             ["tests/unit/x/a_test.cc:2"], code)

    def test_the_places_that_may_are_left_alone(self):
        for path, code in (("shared/base/clock.cc", self.BAD[0]),
                           ("shared/base/random.cc", "getrandom(&n, 8, 0);"),
                           ("shared/base/thread.h", "std::thread thread_;"),
                           ("worker/main.cc", self.BAD[13]),
                           ("cli/environment.cc", self.BAD[13]),
                           ("cli/show.cc", self.BAD[16])):
            self.assertEqual(self.check(path, code), [], path)

    def test_words_in_comments_texts_and_other_names_are_left_alone(self):
        for code in ("// sleep(1) would do", '/* rand() */ Say("getenv(x)");',
                     'auto s = R"(std::thread)";', "Random random(seed);", "queue.sleep(1);",
                     "std::snprintf(text, 4, f);", "operand(x);", "std::thread::id owner;",
                     "using namespace std::chrono_literals;", "const int n = 1'000; timer(0);",
                     'std::fprintf(stderr, "x");'):
            self.assertEqual(self.check("shared/transport/a.cc", code), [], code)

    def test_names_that_say_nothing_are_caught(self):
        for name in ("string_util.h", "helpers.cc", "job_manager.h", "common.h", "a.cpp"):
            self.assertEqual(self.check(f"shared/base/{name}", ""), [f"shared/base/{name}:1"])
        self.assertEqual(self.check("shared/base/commonplace.h", ""), [])


def function(lines, head="int F(int a) {"):
    """The text of a function of so many lines."""
    return "\n".join([head, *["  ++a;"] * (lines - 2), "}"]) + "\n"


class Length(unittest.TestCase):
    def check(self, text, path="shared/base/a.cc"):
        return lines_of(tidy.check_length, {path: text})

    def test_a_long_line_is_caught(self):
        self.assertEqual(self.check("x\n" + "y" * 101 + "\n"), ["shared/base/a.cc:2"])
        self.assertEqual(self.check("é" * 100 + "\n"), [])

    def test_a_long_file_is_caught(self):
        self.assertEqual(self.check("x;\n" * 501), ["shared/base/a.cc:501"])
        self.assertEqual(self.check("x;\n" * 500), [])
        self.assertEqual(self.check("x;\n" * 800, "tests/unit/a.cc"), [])
        self.assertEqual(self.check("x;\n" * 801, "tests/unit/a.cc"), ["tests/unit/a.cc:801"])

    def test_a_long_function_is_caught_wherever_it_stands(self):
        self.assertEqual(self.check(function(70)), [])
        for before, head, after in (
                ("", "int F(int a) {", ""),
                ("namespace octet {\nnamespace {\n", "static Result<std::map<int, A>> F() const {",
                 "}\n}\n"),
                ("class A {\n public:\n", "A() : a_{1}, b_(2) {", "};\n"),
                ("struct A {\n", "bool operator==(const A& b) const {", "};\n"),
                ("#define X {\n", "template <class T> void F(T a = {}) {", ""),
                ("const int kTable[] = {1, 2};\n", "TEST(A, B) {", ""),
                ('const char* kText = "{{{";\n// {{{\n', "auto F(char a = '{') -> int {", "")):
            text = before + function(71, head) + after
            line = before.count("\n") + 1
            self.assertEqual(self.check(text), [f"shared/base/a.cc:{line}"], text[:200])

    def test_a_long_table_class_or_namespace_is_no_function(self):
        for head in ("const Row kRows[] = {", "namespace octet {", "class A final : public B {",
                     "enum class E {", "const auto kRows = Rows({"):
            tail = "})" if head.endswith("({") else "}"
            text = head + "\n" + "{1, F(2)},\n" * 100 + tail + ";\n"
            self.assertEqual(self.check(text), [], head)

    def test_functions_are_counted_apart(self):
        text = "class A {\n public:\n" + function(40) * 3 + " private:\n" + function(60) + "};\n"
        self.assertEqual(self.check(text), [])
        self.assertEqual([last - first + 1 for first, last, _ in cpp_text.functions(text)],
                         [40, 40, 40, 60])


class Headers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = pathlib.Path(self.folder.name) / "source"
        self.build = pathlib.Path(self.folder.name) / "build"
        (self.source / "shared/base").mkdir(parents=True)
        self.build.mkdir()
        compiler = os.environ.get("OCTET_CXX", "g++")
        self.write("a.cc", "")
        (self.build / "compile_commands.json").write_text(json.dumps([{
            "directory": str(self.build), "file": str(self.source / "shared/base/a.cc"),
            "command": f"/usr/bin/ccache {compiler} -I{self.source} -std=c++20 -Wall -Werror "
                       f"-o a.o -c {self.source}/shared/base/a.cc"}]), encoding="utf-8")

    def write(self, name, text):
        (self.source / "shared/base" / name).write_text(text, encoding="utf-8")

    def check(self):
        return sorted(tidy.run_check("headers", self.source, self.build))

    def test_a_header_that_leans_on_others_is_caught(self):
        self.write("good.h", "#pragma once\n#include <string>\nstd::string F();\n")
        self.write("bad.h", "#pragma once\n\nstd::string G();\n")
        faults = self.check()
        self.assertEqual([(fault.path, fault.line) for fault in faults], [("shared/base/bad.h", 3)])
        self.assertIn("does not compile alone", faults[0].what)

    def test_a_change_of_what_a_header_includes_is_noticed(self):
        self.write("below.h", "#pragma once\nusing Number = int;\n")
        self.write("above.h", '#pragma once\n#include "shared/base/below.h"\nNumber F();\n')
        self.assertEqual(self.check(), [])
        self.assertEqual(self.check(), [])
        self.write("below.h", "#pragma once\nusing Other = int;\n")
        self.assertEqual([fault.path for fault in self.check()], ["shared/base/above.h"])
        self.assertEqual([fault.path for fault in self.check()], ["shared/base/above.h"])

    def test_without_a_configured_build_it_is_skipped(self):
        (self.build / "compile_commands.json").unlink()
        with self.assertRaises(tidy.Skip):
            self.check()

    @unittest.skipIf(shutil.which("clang-format-14") is None, "clang-format-14 is not installed")
    def test_text_that_is_not_formatted_is_caught(self):
        self.write("good.h", "int F(int a);\n")
        self.write("bad.h", "int F(int a);\nint  G( int a );\n")
        (self.source / ".clang-format").write_text("BasedOnStyle: Google\n", encoding="utf-8")
        faults = tidy.run_check("format", self.source, self.build)
        self.assertEqual([(fault.path, fault.line) for fault in faults], [("shared/base/bad.h", 2)])
        self.assertIn("clang-format-14 -i", faults[0].instead)


class Table(unittest.TestCase):
    def test_the_rows_have_no_cycle_and_name_only_each_other(self):
        def below(folder, path=()):
            self.assertNotIn(folder, path)
            for other in rules.ROWS[folder]:
                below(other, (*path, folder))
        for folder in rules.ROWS:
            below(folder)

    def test_a_fault_says_where_what_and_what_to_do(self):
        self.assertEqual(str(tidy.Fault("a/b.cc", 7, "sleeps", "wait")), "a/b.cc:7: sleeps; wait")


if __name__ == "__main__":
    sys.exit(unittest.main())
