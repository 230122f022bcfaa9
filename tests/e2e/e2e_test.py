"""End to end: the real programs as real processes, with SIGKILL, on free ports."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import Cluster, alive, kill  # noqa: E402

BIN = os.environ["OCTET_BIN"]
MANIFESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "manifests")
DATA = os.path.abspath(os.path.join(MANIFESTS, "data"))


def job(name, accelerator="v3-8", slices=1, epochs=30, every_steps=100, shards=32, extra=""):
    """A digits job; the same numbers for every slice, so that its weights must be the same too."""
    return f"""
apiVersion: octet.dev/v1
kind: TrainingJob
metadata: {{name: {name}}}
spec:
  accelerator: {{type: {accelerator}, sliceCount: {slices}}}
  session: {{duration: 20m, minDuration: 1s, gracePeriod: 1s}}
  model:
    layers:
      - {{rescaling: {{scale: 0.0625}}}}
      - {{dense: {{units: 96, activation: relu}}}}
      - {{dropout: {{rate: 0.2}}}}
      - {{dense: {{units: 10, activation: softmax}}}}
  data:
    train: {{format: csv, files: ["{DATA}/digits.csv"], target: digit}}
    validation: {{fraction: 0.2, seed: 7}}
  training:
    batchSize: 96
    epochs: {epochs}
    optimizer: {{adam: {{learningRate: 0.002}}}}
    loss: sparse_categorical_crossentropy
    seed: 5
    logicalShards: {shards}
  checkpoint: {{everySteps: {every_steps}}}
{extra}"""


def condition(document, kind):
    found = [c for c in document.get("status", {}).get("conditions", []) if c["type"] == kind]
    return found[0] if found else None


class SharedCluster(unittest.TestCase):
    """Tests that only read, or add objects of their own, share one cluster of four boards."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(BIN, boards=4)
        cls.addClassCleanup(cls.cluster.__exit__, None, None, None)
        cls.up = cls.cluster.up().stdout

    def apply(self, text, user="alice", code=0):
        return self.cluster.run("apply", "-f", "-", stdin=text, user=user, code=code)

    def test_up_says_what_runs_and_what_to_type_next(self):
        self.assertIn("4 boards", self.up)
        self.assertIn(self.cluster.info()["api"], self.up)
        self.assertIn(self.cluster.info()["metrics"], self.up)
        self.assertIn("octet apply -f", self.up)
        self.assertEqual(4, len(self.cluster.get("boards")))

    def test_a_second_up_says_that_it_is_running(self):
        again = self.cluster.up()
        self.assertIn("already running", again.stdout)
        self.assertEqual(4, len(self.cluster.worker_pids()))

    def test_status_shows_boards_jobs_and_quota(self):
        shown = self.cluster.run("status").stdout
        for word in ("Boards", "Jobs", "Quota", "local-0", "local-3"):
            self.assertIn(word, shown)

    def test_weights_are_bit_identical_on_one_two_and_four_boards(self):
        self.apply(job("bits-one"))
        self.apply(job("bits-two", slices=2))
        self.apply(job("bits-four", accelerator="v3-32"))
        hashes = set()
        for name in ("bits-one", "bits-two", "bits-four"):
            done = self.cluster.wait_phase(name, "Succeeded", "Failed")
            self.assertEqual("Succeeded", done["status"]["phase"], done["status"])
            hashes.add(done["status"]["weightsSha256"])
        self.assertEqual(1, len(hashes))
        self.assertRegex(hashes.pop(), "^[0-9a-f]{64}$")

    def test_a_killed_worker_costs_time_but_not_a_bit(self):
        self.apply(job("calm", epochs=150, every_steps=50))
        undisturbed = self.cluster.wait_phase("calm", "Succeeded", "Failed")["status"]
        self.apply(job("disturbed", accelerator="v3-32", epochs=150, every_steps=50))

        def in_mid_training():
            status = self.cluster.get("tj", "disturbed").get("status", {})
            self.assertNotIn(status.get("phase"), ("Succeeded", "Failed"), "it was too quick to be killed")
            return status.get("checkpoint", {}).get("step", 0) > 0 and status.get("session")
        session = self.cluster.until("a checkpoint in mid-training", in_mid_training)
        kill(self.cluster.worker_pids()[session["boards"][0]])
        status = self.cluster.wait_phase("disturbed", "Succeeded", "Failed")["status"]
        self.assertEqual("Succeeded", status["phase"], status)
        self.assertGreaterEqual(status["interruptions"], 1)
        self.assertEqual(0, status.get("failures", 0))
        self.assertEqual(undisturbed["weightsSha256"], status["weightsSha256"])

    def test_every_manifest_is_accepted(self):
        for name in sorted(os.listdir(MANIFESTS)):
            if name.endswith(".yaml"):
                done = self.cluster.run("apply", "--dry-run", "-f", os.path.join(MANIFESTS, name), user="alice")
                self.assertIn("(dry run)", done.stdout, name)

    def test_a_bad_file_is_refused_whole_with_every_fault_and_exit_code_1(self):
        text = job("good-one") + "\n---\n" + job("bad-one").replace("v3-8", "v3-16") \
            .replace("batchSize: 96", "batchSize: 97\n    batchSize: 98").replace("dropout", "dropuot")
        done = self.apply(text, code=1)
        for word in ("v3-8", "v3-32", "dropout", "batchSize"):
            self.assertIn(word, done.stderr)
        self.assertRegex(done.stderr, r"standard input:\d+:\d+")
        names = [item["metadata"]["name"] for item in self.cluster.get("tj")]
        self.assertNotIn("good-one", names)
        self.assertNotIn("bad-one", names)

    def test_usage_errors_have_exit_code_2(self):
        self.assertEqual(2, self.cluster.run("frobnicate", code=None).returncode)
        self.assertEqual(2, self.cluster.run("up", "--boards", "none", code=None).returncode)

    def test_more_than_the_week_leaves_is_held_with_its_reason(self):
        self.cluster.run("apply", "-f", os.path.join(MANIFESTS, "users.yaml"), user="bert")
        self.cluster.run("apply", "-f", os.path.join(MANIFESTS, "too-much.yaml"), user="bert")
        held = self.cluster.until("the reason is there", lambda: condition(
            self.cluster.get("tj", "too-much"), "QuotaReserved"))
        self.assertEqual("False", held["status"])
        self.assertRegex(held["message"], r"2h")
        self.assertEqual("Queued", self.cluster.get("tj", "too-much")["status"]["phase"])
        self.cluster.run("delete", "tj", "too-much")

    def test_errors_are_kubernetes_status_objects(self):
        url = self.cluster.info()["api"] + "/apis/octet.dev/v1/namespaces/default/trainingjobs/none-such"
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(url, timeout=10)
        status = json.loads(caught.exception.read())
        self.assertEqual(404, caught.exception.code)
        self.assertEqual(("Status", "NotFound", 404), (status["kind"], status["reason"], status["code"]))

    def test_logs_and_watch_show_the_epochs(self):
        self.apply(job("logged", epochs=5))
        watched = self.cluster.run("watch", "logged").stdout
        self.assertIn("Succeeded", watched)
        logs = self.cluster.run("logs", "-f", "logged").stdout
        self.assertEqual(5, len(re.findall(r"^epoch .*loss .*accuracy .*val_accuracy", logs, re.M)), logs)
        self.assertEqual(1, self.cluster.run("logs", "--tail", "1", "logged").stdout.count("\n"))

    def test_a_running_job_is_deleted_and_its_boards_come_back(self):
        self.apply(job("endless", accelerator="v3-32", epochs=1_000_000))
        self.cluster.wait_phase("endless", "Running")
        self.cluster.run("delete", "tj", "endless")
        self.assertEqual(1, self.cluster.run("get", "tj", "endless", code=None).returncode)
        self.apply(job("afterwards", accelerator="v3-32", epochs=2))
        self.cluster.wait_phase("afterwards", "Succeeded")

    def test_charges_add_up_and_metrics_pass_promtool(self):
        self.apply(job("charged", epochs=3), user="carol")
        self.cluster.wait_phase("charged", "Succeeded")

        def closed():
            mine = [s for s in self.cluster.get("sessions") if s["spec"]["user"] == "carol"]
            return mine if mine and all(s["status"]["ended"] for s in mine) else None
        sessions = self.cluster.until("the session is closed", closed)
        for session in sessions:
            self.assertEqual(session["status"]["chargeMillis"], sum(session["status"]["chargeMillisByWeek"].values()))
        total = sum(s["status"]["chargeMillis"] for s in sessions)
        self.assertEqual(total, sum(s["status"]["elapsedMillis"] * len(s["spec"]["boards"]) for s in sessions))
        self.assertEqual(total, self.cluster.get("tj", "charged")["status"]["chargedMillis"])
        pages = [self.cluster.http("", base="metrics")]
        boards = self.cluster.get("boards")
        pages += [urllib.request.urlopen(f"http://{b['status']['metricsAddress']}/metrics", timeout=10).read().decode()
                  for b in boards[:1]]
        for page in pages:
            self.assertIn("octet_build_info", page)
            try:
                checked = subprocess.run(["promtool", "check", "metrics"], input=page, text=True,
                                         capture_output=True, check=False)
            except FileNotFoundError:
                self.skipTest("promtool (Debian package prometheus) is not installed")
            self.assertEqual(0, checked.returncode, checked.stdout + checked.stderr)


class OwnCluster(unittest.TestCase):
    """Tests that stop, kill or starve the cluster have one each."""

    def test_down_leaves_nothing_running_and_state_stays(self):
        with Cluster(BIN, boards=2) as cluster:
            cluster.up()
            pids = list(cluster.worker_pids().values()) + [cluster.info()["pid"]]
            cluster.run("apply", "-f", "-", stdin=job("kept", epochs=2), user="alice")
            done = cluster.wait_phase("kept", "Succeeded")
            cluster.run("down")
            self.assertEqual([], [pid for pid in pids if alive(pid)])
            cluster.run("down")  # Twice is no error.
            cluster.up()
            again = cluster.get("tj", "kept")
            self.assertEqual(done["status"]["weightsSha256"], again["status"]["weightsSha256"])
            self.assertEqual(done["metadata"]["uid"], again["metadata"]["uid"])

    def test_both_programs_end_with_success_when_they_are_told_to(self):
        with tempfile.TemporaryDirectory() as home:
            free = "127.0.0.1:0"
            coordinator = subprocess.Popen([
                os.path.join(BIN, "octet-coordinator"), "--home", home, "--provider=none", "--boards=1",
                "--api-address", free, "--control-address", free, "--metrics-address", free])
            cluster = Cluster(BIN, boards=1, home=home)
            cluster.until("it is ready", lambda: os.path.exists(home + "/run/coordinator.json"))
            worker = subprocess.Popen([
                os.path.join(BIN, "octet-worker"), "--board=local-0", "--home", home, "--metrics-address", free,
                "--coordinator", cluster.info()["control"]], stderr=subprocess.DEVNULL)
            cluster.until("the board is ready", lambda: any(
                b["status"]["state"] == "Ready" for b in cluster.get("boards")))
            for program in (worker, coordinator):
                program.terminate()
                self.assertEqual(0, program.wait(timeout=30), program.args[0])

    def test_a_killed_coordinator_comes_back_and_the_job_ends_with_the_same_bits(self):
        with Cluster(BIN, boards=1) as cluster:
            cluster.up()
            cluster.run("apply", "-f", "-", stdin=job("first", epochs=80), user="alice")
            first = cluster.wait_phase("first", "Succeeded")["status"]
            cluster.run("apply", "-f", "-", stdin=job("second", epochs=80), user="alice")
            cluster.wait_phase("second", "Running", "Succeeded")
            kill(cluster.info()["pid"])
            cluster.until("it is gone", lambda: not alive(cluster.info()["pid"]))
            back = cluster.up().stdout
            self.assertIn("gone without a goodbye", back)
            second = cluster.wait_phase("second", "Succeeded", "Failed")["status"]
            self.assertEqual(first["weightsSha256"], second["weightsSha256"])
            sessions = [s for s in cluster.get("sessions") if s["spec"]["job"] == "second"]
            ended = cluster.until("all sessions are closed", lambda: [
                s for s in cluster.get("sessions") if s["spec"]["job"] == "second" and s["status"]["ended"]])
            self.assertEqual(len(sessions), len(ended))

    def test_a_session_ends_at_its_grant_and_the_job_goes_on_in_the_next(self):
        with Cluster(BIN, boards=1) as cluster:
            cluster.up()
            short = job("short", epochs=100_000).replace(
                "duration: 20m, minDuration: 1s, gracePeriod: 1s",
                "duration: 2s, minDuration: 1s, gracePeriod: 500ms, onLimit: Fail")
            cluster.run("apply", "-f", "-", stdin=short, user="alice")
            failed = cluster.wait_phase("short", "Failed")
            self.assertGreater(failed["status"]["checkpoint"]["step"], 0)
            session = [s for s in cluster.get("sessions") if s["spec"]["job"] == "short"][0]
            self.assertEqual("GrantReached", session["status"]["endReason"])
            self.assertLessEqual(session["status"]["elapsedMillis"], 2000)

    def test_a_port_in_use_is_named_with_the_fix(self):
        with socket.socket() as taken, Cluster(BIN, boards=1) as cluster:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = cluster.run("up", "--boards", "1", "--api-address", f"127.0.0.1:{port}",
                               "--control-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0", code=1)
            self.assertIn(str(port), done.stderr)
            self.assertIn("--api-address", done.stderr)

    def test_a_home_that_cannot_be_written_is_named_with_the_fix(self):
        with tempfile.NamedTemporaryFile() as file:
            done = Cluster(BIN, boards=1, home=file.name + "/home").up(code=1)
            self.assertIn(file.name, done.stderr)
            self.assertIn("OCTET_HOME", done.stderr)

    def test_a_stale_pid_of_another_process_is_not_taken_for_ours(self):
        with Cluster(BIN, boards=1) as cluster:
            os.makedirs(cluster.home + "/run")
            with open(cluster.home + "/run/coordinator.json", "w", encoding="utf-8") as file:
                json.dump({"pid": os.getpid(), "startTime": "1", "api": "http://127.0.0.1:1",
                           "control": "", "metrics": "", "boards": 1}, file)
            cluster.up()
            self.assertNotEqual(os.getpid(), cluster.info()["pid"])

    def test_workers_finish_by_themselves_when_the_coordinator_is_frozen(self):
        with Cluster(BIN, boards=1) as cluster:
            cluster.up()
            bounded = job("bounded", epochs=1_000_000).replace(
                "duration: 20m, minDuration: 1s, gracePeriod: 1s",
                "duration: 4s, minDuration: 1s, gracePeriod: 1s, onLimit: Suspend")
            cluster.run("apply", "-f", "-", stdin=bounded, user="alice")
            cluster.wait_phase("bounded", "Running")
            coordinator = cluster.info()["pid"]
            os.kill(coordinator, signal.SIGSTOP)
            try:
                with open(cluster.home + "/prometheus/workers.json", encoding="utf-8") as file:
                    address = json.load(file)[0]["targets"][0]

                def steps():
                    page = urllib.request.urlopen(f"http://{address}/metrics", timeout=10).read().decode()
                    return float(re.search(r"^octet_worker_steps_total(?:\{[^}]*\})? (\S+)", page, re.M).group(1))
                seen = [-1.0, 0.0]

                def stands_still():
                    seen.append(steps())
                    return len(seen) > 12 and seen[-1] == seen[-12]
                cluster.until("the worker stopped by itself", stands_still, timeout=30)
            finally:
                os.kill(coordinator, signal.SIGCONT)
            cluster.wait_phase("bounded", "Suspended")


if __name__ == "__main__":
    unittest.main(verbosity=2)
