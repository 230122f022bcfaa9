"""A real local cluster for the end-to-end tests and the demo: the programs as users start them.

Every cluster has a home of its own in a temporary folder and takes free ports; nothing is shared.
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request


class CommandFailed(Exception):
    """A command of `octet` ended with another exit code than was expected."""


class Cluster:
    """`octet up` to `octet down`. Use it in a `with` statement: what was started is always stopped."""

    def __init__(self, bin_folder, boards=4, home=None):
        self.bin = os.path.abspath(bin_folder)
        self.boards = boards
        self.own_home = home is None
        self.home = home or tempfile.mkdtemp(prefix="octet-")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.print_logs()
        self.down()
        if self.own_home:
            shutil.rmtree(self.home, ignore_errors=True)

    def run(self, *arguments, user=None, code=0, stdin=None, timeout=120):
        """Runs `octet ARGUMENTS` and gives its completed process; another exit code is an error."""
        command = [os.path.join(self.bin, "octet"), "--home", self.home]
        if user:
            command += ["--user", user]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OCTET_")}
        done = subprocess.run(command + list(arguments), input=stdin, capture_output=True, text=True,
                              timeout=timeout, env=environment, check=False)
        if code is not None and done.returncode != code:
            raise CommandFailed(f"octet {' '.join(arguments)} ended with {done.returncode}, not {code}\n"
                                f"{done.stdout}{done.stderr}")
        return done

    def up(self, *extra, code=0):
        return self.run("up", "--boards", str(self.boards), "--api-address", "127.0.0.1:0",
                        "--control-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0",
                        *extra, code=code)

    def down(self):
        return self.run("down", code=None)

    def info(self):
        """What the coordinator says of itself: pid, api, metrics."""
        with open(os.path.join(self.home, "run", "coordinator.json"), encoding="utf-8") as file:
            return json.load(file)

    def get(self, kind, name=None, namespace="default"):
        """An object, or the list of objects of a kind, as dictionaries."""
        words = ["get", kind] + ([name] if name else []) + ["-o", "json", "-n", namespace]
        answer = json.loads(self.run(*words).stdout)
        return answer if name else answer["items"]

    def http(self, path, base="api"):
        return self.fetch(self.info()[base] if base == "metrics" else self.info()["api"] + path)

    @staticmethod
    def fetch(url):
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.read().decode()

    def worker_pids(self):
        """Process ids of the workers by board."""
        folder = os.path.join(self.home, "run", "workers")
        pids = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    pids[name[:-5]] = json.load(file)["pid"]
        return pids

    def until(self, what, condition, timeout=60.0):
        """Asks again until `condition()` gives something true, and gives that."""
        limit = time.monotonic() + timeout
        while True:
            answer = condition()
            if answer:
                return answer
            if time.monotonic() > limit:
                raise TimeoutError(f"not within {timeout:.0f} s: {what}")
            time.sleep(0.05)

    def wait_phase(self, job, *phases, timeout=120.0):
        def reached():
            found = self.get("trainingjob", job)
            return found if found.get("status", {}).get("phase") in phases else None
        return self.until(f"{job} is {' or '.join(phases)}", reached, timeout)

    def print_logs(self):
        """The ends of all logs, for the one who reads why a test failed."""
        folder = os.path.join(self.home, "logs")
        for parent, _, names in os.walk(folder):
            for name in sorted(names):
                with open(os.path.join(parent, name), encoding="utf-8", errors="replace") as file:
                    lines = file.readlines()[-15:]
                print(f"--- {name}", *[line.rstrip() for line in lines], sep="\n")


def alive(pid):
    """Whether a process runs (a zombie does not)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def kill(pid):
    os.kill(pid, signal.SIGKILL)
