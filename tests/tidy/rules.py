"""The house rules as tables: who may include and link whom, what nobody calls, how long is too long.

A change of a rule is a change here, with its reason. tidy.py only applies the tables.
"""

import re
from dataclasses import dataclass

SHARED = ("shared/base", "shared/objects", "shared/model", "shared/tpu", "shared/transport")
COORDINATOR = (
    "coordinator/quota", "coordinator/jobs", "coordinator/scheduler", "coordinator/store",
    "coordinator/kubernetes", "coordinator/fleet", "coordinator/api", "coordinator/metrics",
    "coordinator/controllers")
WORKER = (
    "worker/engine", "worker/board", "worker/collective", "worker/input", "worker/checkpoint",
    "worker/metrics", "worker/agent", "worker/train")

# Folder -> the folders it may include and link besides itself.
ROWS = {
    "proto": (),
    "shared/base": (),
    "shared/objects": ("shared/base",),
    "shared/model": ("shared/base", "shared/objects"),
    # Objects, because the accelerator types are words of a manifest.
    "shared/tpu": ("shared/base", "shared/objects", "shared/model"),
    "shared/transport": ("shared/base", "proto"),
    "coordinator/quota": ("shared/base", "shared/objects"),
    "coordinator/jobs": ("shared/base", "shared/objects"),
    "coordinator/scheduler": (
        "coordinator/quota", "shared/base", "shared/objects", "shared/model", "shared/tpu"),
    "coordinator/store": ("shared/base", "shared/objects"),
    "coordinator/kubernetes": ("shared/base", "shared/objects"),
    "coordinator/fleet": (
        "shared/base", "shared/objects", "shared/transport", "proto", "coordinator/kubernetes"),
    # proto, because clients send the bodies of Kubernetes' own kinds in its protobuf form.
    "coordinator/api": (
        "coordinator/store", "coordinator/metrics", "shared/base", "shared/objects", "proto"),
    "coordinator/metrics": ("shared/base",),
    # Every part of the coordinator but the API, and the values that those parts speak in.
    "coordinator/controllers": tuple(
        folder for folder in COORDINATOR
        if folder not in ("coordinator/api", "coordinator/controllers")) + (
        "shared/base", "shared/objects", "shared/model", "shared/tpu", "proto"),
    # main.cc builds the real world of its side.
    "coordinator": COORDINATOR + SHARED + ("proto",),
    "worker/engine": ("shared/base", "shared/model"),
    # The model, because the engine and the performance model both speak of its networks; objects,
    # because the accelerator types, which say how many cores a board has, are words of a manifest.
    "worker/board": (
        "worker/engine", "shared/base", "shared/objects", "shared/model", "shared/tpu"),
    "worker/collective": ("shared/base", "shared/transport", "proto"),
    "worker/input": ("shared/base", "shared/objects", "shared/transport", "proto"),
    "worker/checkpoint": ("shared/base", "shared/objects", "shared/transport", "proto"),
    "worker/agent": ("shared/base", "shared/objects", "shared/transport", "proto"),
    "worker/metrics": ("shared/base",),
    # One job on this worker: every part of the worker, and the values that those parts speak in.
    "worker/train": tuple(folder for folder in WORKER if folder != "worker/train") + (
        "shared/base", "shared/objects", "shared/model", "proto"),
    "worker": WORKER + SHARED + ("proto",),
    "cli": ("shared/base", "shared/objects"),
}

# Folders with sources. Tests may include and link anything.
TOP_FOLDERS = ("cli", "coordinator", "proto", "shared", "tests", "worker")


@dataclass(frozen=True)
class Library:
    """A third-party library: its headers, its CMake targets, the folders that wrap it."""
    name: str
    headers: str  # A regular expression at the beginning of what stands in the brackets.
    targets: tuple
    folders: tuple
    instead: str


LIBRARIES = (
    Library("ZeroMQ", r"zmq", ("cppzmq", "cppzmq-static", "libzmq"), ("shared/transport",),
            "use the sockets of shared/transport"),
    Library("SQLite", r"sqlite3", ("SQLite::SQLite3",), ("coordinator/store",),
            "use the Store of coordinator/store"),
    Library("yaml-cpp", r"yaml-cpp/", ("yaml-cpp", "yaml-cpp::yaml-cpp"), ("shared/objects",),
            "use the YAML reader of shared/objects"),
    Library("nlohmann JSON", r"nlohmann/", ("nlohmann_json::nlohmann_json",), ("shared/objects",),
            "use the Json of shared/objects"),
    Library("Boost", r"boost/", ("Boost::headers", "Boost::boost", "Boost::system"),
            ("coordinator/api",), "keep Boost behind the HTTP server of coordinator/api"),
    Library("prometheus-cpp", r"prometheus/", ("prometheus-cpp::core", "prometheus-cpp::pull"),
            ("coordinator/metrics", "worker/metrics"), "use the metric tables of */metrics"),
    Library("spdlog", r"(spdlog|fmt)/", ("spdlog::spdlog",), ("shared/base",),
            'use "shared/base/log.h"'),
    Library("oneDNN", r"(oneapi/)?dnnl", ("dnnl::dnnl",), ("worker/engine",),
            "use the Kernels of worker/engine"),
    Library("OpenMP", r"omp\.h", ("gomp",), ("worker/engine",),
            "use the threads of worker/board"),
    Library("CLI11", r"CLI/", ("CLI11::CLI11",), ("cli",), "only the command line uses CLI11"),
    Library("curl", r"curl/", ("CURL::libcurl",), ("cli", "coordinator/kubernetes"),
            "use the HTTP client of the folder that wraps curl"),
    Library("OpenSSL", r"openssl/", ("OpenSSL::Crypto", "OpenSSL::SSL"), ("shared/base",),
            'use "shared/base/sha256.h"'),
    Library("protobuf", r"google/protobuf/", ("protobuf::libprotobuf",),
            tuple(folder for folder, row in ROWS.items() if "proto" in row) + ("proto",),
            "only folders that may include proto know protobuf"),
    Library("GoogleTest", r"(gtest|gmock)/", ("GTest::gtest", "GTest::gmock", "GTest::gtest_main"),
            (), "only tests use GoogleTest"),
    Library("Google Benchmark", r"benchmark/", ("benchmark::benchmark_main",), (),
            "only tests/bench uses Google Benchmark"),
)

# CMake targets that any folder may use.
FREE_TARGETS = ("Threads::Threads", "${CMAKE_DL_LIBS}")

# Headers of C, POSIX, Linux and the compiler, which may stand anywhere. Headers of the C++ standard
# library are those without a dot.
SYSTEM_HEADERS = re.compile(
    r"(sys|netinet|arpa|net|linux|sanitizer)/[\w/]+\.h$"
    r"|(assert|cpuid|ctype|dirent|dlfcn|errno|fcntl|float|glob|grp|ifaddrs|immintrin|inttypes"
    r"|arm_acle|arm_neon|limits|locale|math|netdb|nmmintrin|poll|pthread|pwd|sched|semaphore|signal"
    r"|spawn|stdarg|stddef|stdint|stdio|stdlib|string|strings|termios|time|unistd|wchar"
    r"|x86intrin)\.h$")


@dataclass(frozen=True)
class Ban:
    """A pattern of code that only the files matching `only_in` may contain."""
    pattern: str
    only_in: str  # A regular expression that the whole path matches; "" matches none.
    what: str
    instead: str


BANS = (
    Ban(r"\b(system_clock|steady_clock|high_resolution_clock|utc_clock)\s*::\s*now\b"
        r"|\b(clock_gettime|gettimeofday|localtime(_r)?)\s*\("
        r"|(?<![\w.>])time\s*\(\s*(nullptr|NULL|0|&)",
        r"shared/base/clock\.cc", "reads a real clock",
        'take `now` as an argument, or a Clock ("shared/base/clock.h") in a loop'),
    Ban(r"\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\s*\("
        r"|(?<![\w.>])sleep\s*\(",
        r"", "sleeps",
        "wait for what you want: a queue (bounded_queue.h), a condition, a poll with a deadline"),
    Ban(r"\b(random_device|mt19937(_64)?|minstd_rand0?|default_random_engine)\b"
        r"|\bstd\s*::\s*(uniform_\w+|normal|bernoulli|discrete)_distribution\b"
        r"|\bstd\s*::\s*shuffle\b"
        r"|(?<![\w.>])(srand|srandom|[dlm]rand48|getrandom|getentropy)\s*\("
        r"|(?<![\w.>])(rand|random)\s*\(\s*\)",
        r"shared/base/random\.cc", "draws random numbers of its own",
        'use Random ("shared/base/random.h"), whose numbers a seed fixes on every machine'),
    Ban(r"\b(secure_)?getenv\s*\(|\b(un|put|clear)?setenv\s*\(|\bputenv\s*\(",
        r"(coordinator|worker|cli)/main\.cc|cli/environment\.cc|tests/.*",
        "reads or sets the environment", "read it in main.cc and pass the value down in Options"),
    Ban(r"\busing\s+namespace\s+std\s*;", r"", "opens namespace std", "write std:: at each use"),
    Ban(r"\bstd\s*::\s*cout\b|(?<![\w.>])v?printf\s*\(|(?<![\w.>])(puts|putchar)\s*\("
        r"|\bfprintf\s*\(\s*stdout\b|\bstd\s*::\s*print(ln)?\b",
        r"cli/.*|(coordinator|worker)/main\.cc|tests/.*", "writes to standard output",
        'log it ("shared/base/log.h") or return it'),
    Ban(r"\bstd\s*::\s*(jthread|async)\b|\bstd\s*::\s*thread\b(?!\s*::\s*id\b)|\bpthread_create\s*\(",
        r"shared/base/thread\.(h|cc)", "starts a thread of its own",
        'use Thread ("shared/base/thread.h"), which is named and joined; '
        "AvailableProcessors() counts processors"),
)

# Parts of file names that say nothing.
EMPTY_NAMES = ("util", "utils", "utility", "helper", "helpers", "common", "manager", "misc")

LINE_LENGTH_MAX = 100
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 500
TEST_FILE_LINES_MAX = 800


def row_of(path):
    """The folder of ROWS that `path` lies in, or None.

    A new folder beside the parts of a side is not one of the side itself.
    """
    own = folder = path.rsplit("/", 1)[0]
    while folder not in ROWS:
        if "/" not in folder:
            return None
        folder = folder.rsplit("/", 1)[0]
    return None if folder in ("coordinator", "worker") and folder != own else folder


def target_of(folder):
    return folder.replace("/", "_")
