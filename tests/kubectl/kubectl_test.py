"""kubectl, unmodified, against the coordinator: kubectl_test.py VERSION. What people type, and what they must see."""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "counterparts")]
from cluster import Cluster  # noqa: E402
from kubernetes_tools import fetch  # noqa: E402

VERSION = "1.35"
IRIS = os.path.abspath(os.path.join(HERE, "..", "..", "manifests", "data", "iris.csv"))


def manifest(name, priority=100, label="vision", epochs=3, suspend="false"):
    return f"""
apiVersion: octet.dev/v1
kind: TrainingJob
metadata: {{name: {name}, labels: {{team: {label}}}}}
spec:
  priority: {priority}
  suspend: {suspend}
  session: {{duration: 5m, minDuration: 1s, gracePeriod: 1s}}
  model: {{layers: [{{dense: {{units: 3, activation: softmax, useBias: true}}}}]}}
  data: {{train: {{format: csv, files: ["{IRIS}"], target: species}}}}
  training: {{batchSize: 24, epochs: {epochs}, loss: sparse_categorical_crossentropy}}
"""


class Kubectl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder, why = fetch(VERSION)
        if folder is None:
            raise unittest.SkipTest(why)
        cls.program = os.path.join(folder, "kubectl", "kubectl")
        cls.cluster = Cluster(os.environ["OCTET_BIN"], boards=2)
        cls.addClassCleanup(cls.cluster.__exit__, None, None, None)
        cls.cluster.up()
        cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cache.cleanup)
        cls.base = [cls.program, "--server", cls.cluster.info()["api"], "--cache-dir", cache.name, "--as", "alice"]

    def kubectl(self, *arguments, stdin=None, code=0, extra=None):
        environment = dict(os.environ, KUBECONFIG="/dev/null", **(extra or {}))
        done = subprocess.run([*self.base, *arguments], input=stdin, capture_output=True, text=True, timeout=60,
                              env=environment, check=False)
        self.assertEqual(code, done.returncode, f"kubectl {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def create(self, name, **options):
        self.kubectl("create", "-f", "-", stdin=manifest(name, **options))

    def test_discovery_knows_the_kinds_with_their_short_names(self):
        shown = self.kubectl("api-resources")
        for line in (r"trainingjobs +tj +octet.dev/v1 +true +TrainingJob", r"boards +bd +octet.dev/v1 +false +Board",
                     r"slicepools +sp +", r"userquotas +uq +", r"sessions +ss +octet.dev/v1 +true +Session"):
            self.assertRegex(shown, line)
        self.assertIn("octet.dev/v1", self.kubectl("api-versions"))
        self.assertRegex(self.kubectl("version"), r"Server Version: v1\.\d+\.\d+\+octet")
        self.assertIn("doesn't have a resource type", self.kubectl("get", "tpus", code=1))

    def test_get_prints_the_columns_of_the_kind(self):
        self.create("columns")
        self.kubectl("wait", "tj/columns", "--for=condition=Complete", "--timeout=60s")
        shown = self.kubectl("get", "tj", "columns")
        self.assertRegex(shown, r"^NAME +TYPE +USER +PHASE +EPOCH +LOSS +ACCURACY +AGE\n"
                                r"columns +v3-8 +alice +Succeeded +3/3 +[\d.]+ +[\d.]+ +\d+s\n$")
        self.assertRegex(self.kubectl("get", "boards", "-o", "wide"), r"local-1 +local +Ready .*127\.0\.0\.1:\d+")
        self.assertIn("octet.dev/columns", self.kubectl("get", "tj", "columns", "-o", "name"))
        self.assertEqual("Succeeded", self.kubectl("get", "tj", "columns", "-o", "jsonpath={.status.phase}"))
        self.assertRegex(self.kubectl("get", "tj", "-A"), r"NAMESPACE +NAME[\s\S]*default +columns")
        self.assertRegex(self.kubectl("get", "octet"), r"slicepool.octet.dev/local")
        self.assertRegex(self.kubectl("get", "tj", "--show-labels"), r"columns .*team=vision")
        self.assertIn("No resources found", self.kubectl("get", "tj", "-n", "nowhere"))
        self.assertIn("(NotFound)", self.kubectl("get", "tj", "none", code=1))
        listed = json.loads(self.kubectl("get", "tj", "-o", "json"))
        self.assertEqual("List", listed["kind"])

    def test_lists_in_parts_are_whole(self):
        for i in range(7):
            self.create(f"part-{i}", label="parts")
        shown = self.kubectl("get", "tj", "-l", "team=parts", "--chunk-size=2", "-o", "name")
        self.assertEqual([f"trainingjob.octet.dev/part-{i}" for i in range(7)], shown.split())

    def test_apply_creates_changes_and_leaves_alone(self):
        def apply(*more, **options):
            return self.kubectl("apply", *more, "-f", "-", stdin=manifest("applied", suspend="true", **options))
        self.assertIn("created (server dry run)", apply("--dry-run=server"))
        self.assertIn("(NotFound)", self.kubectl("get", "tj", "applied", code=1))
        self.assertIn("applied created", apply())
        self.assertIn("applied unchanged", apply())
        self.assertIn("applied configured", apply(priority=7))
        self.assertEqual("7", self.kubectl("get", "tj", "applied", "-o", "jsonpath={.spec.priority}"))
        shown = self.kubectl("diff", "-f", "-", stdin=manifest("applied", suspend="true", priority=9), code=1)
        self.assertRegex(shown, r"-  priority: 7\n\+  priority: 9")
        self.kubectl("delete", "tj", "applied")

    def test_mistakes_are_told_by_field(self):
        shown = self.kubectl("apply", "-f", "-", code=1, stdin=manifest("bad").replace("batchSize: 24", "batchSize: 25"))
        self.assertIn('The TrainingJob "bad" is invalid', shown)
        self.assertIn("use 24 or 32", shown)
        shown = self.kubectl("create", "-f", "-", code=1, stdin=manifest("bad").replace("priority", "prioritty"))
        self.assertIn("did you mean priority", shown)
        self.assertIn("(NotFound)", self.kubectl("get", "tj", "bad", code=1))
        self.create("twice")
        self.assertIn("(AlreadyExists)", self.kubectl("create", "-f", "-", stdin=manifest("twice"), code=1))

    def test_label_annotate_patch_edit_and_replace(self):
        # Suspended, so that nobody else writes to it meanwhile.
        self.create("changed", suspend="true")
        self.kubectl("wait", "tj/changed", "--for=jsonpath={.status.phase}=Suspended", "--timeout=60s")
        self.assertIn("labeled", self.kubectl("label", "tj", "changed", "a=b"))
        self.assertIn("annotated", self.kubectl("annotate", "tj", "changed", "note=kept as it is: ü"))
        self.kubectl("patch", "tj", "changed", "--type=merge", "-p", '{"spec": {"priority": 3}}')
        self.kubectl("patch", "tj", "changed", "--type=json", "-p",
                     '[{"op": "test", "path": "/spec/priority", "value": 3},'
                     ' {"op": "add", "path": "/metadata/labels/c", "value": "d"}]')
        self.assertIn("merge-patch+json", self.kubectl("patch", "tj", "changed", "-p", "{}", code=1))
        self.kubectl("edit", "tj", "changed", extra={"EDITOR": "sed -i 's/priority: 3/priority: 4/'"})
        job = json.loads(self.kubectl("get", "tj", "changed", "-o", "json"))
        self.assertEqual({"team": "vision", "a": "b", "c": "d"}, job["metadata"]["labels"])
        self.assertEqual("kept as it is: ü", job["metadata"]["annotations"]["note"])
        self.assertEqual(4, job["spec"]["priority"])
        job["spec"]["priority"] = 5
        self.assertIn("replaced", self.kubectl("replace", "-f", "-", stdin=json.dumps(job)))
        # What was read before somebody else's write is stale.
        self.assertIn("(Conflict)", self.kubectl("replace", "-f", "-", stdin=json.dumps(job), code=1))
        self.assertIn("unlabeled", self.kubectl("label", "tj", "changed", "a-"))
        self.kubectl("delete", "tj", "changed")

    def test_watch_shows_changes_as_they_come(self):
        self.create("watched")
        self.kubectl("wait", "tj/watched", "--for=condition=Complete", "--timeout=60s")
        watch = subprocess.Popen([*self.base, "get", "tj", "watched", "-w", "--show-labels"], stdout=subprocess.PIPE,
                                 text=True, env=dict(os.environ, KUBECONFIG="/dev/null"))
        # A watch that shows nothing must not hang the test.
        limit = threading.Timer(60, watch.kill)
        limit.start()
        self.assertRegex(watch.stdout.readline(), "^NAME +TYPE")
        self.assertRegex(watch.stdout.readline(), "^watched .*team=vision")
        for i in range(3):
            self.kubectl("label", "tj", "watched", f"round={i}", "--overwrite")
            self.assertRegex(watch.stdout.readline(), f"^watched .*round={i}")
        limit.cancel()
        watch.kill()
        watch.wait()
        watch.stdout.close()

    def test_wait_for_conditions_fields_and_deletion(self):
        self.create("awaited")
        self.assertIn("condition met", self.kubectl("wait", "tj/awaited", "--for=condition=Complete", "--timeout=60s"))
        self.assertIn("condition met", self.kubectl("wait", "tj/awaited", "--for=jsonpath={.status.phase}=Succeeded",
                                                    "--timeout=60s"))
        self.kubectl("wait", "tj/awaited", "--for=condition=Failed", "--timeout=1s", code=1)
        self.create("doomed", epochs=1_000_000)
        self.cluster.wait_phase("doomed", "Running")
        self.kubectl("delete", "tj", "doomed", "--wait=false")
        self.kubectl("wait", "tj/doomed", "--for=delete", "--timeout=60s")

    def test_scale_starts_and_stops_workers(self):
        self.kubectl("scale", "sp/local", "--replicas=3")
        self.kubectl("wait", "sp/local", "--for=jsonpath={.status.readyBoards}=3", "--timeout=60s")
        self.assertEqual(3, len(self.cluster.worker_pids()))
        self.kubectl("scale", "sp/local", "--current-replicas=3", "--replicas=2")
        self.kubectl("wait", "bd/local-2", "--for=delete", "--timeout=60s")

    def test_describe_and_explain_say_what_there_is(self):
        self.create("told")
        shown = self.kubectl("describe", "tj", "told")
        self.assertRegex(shown, r"Name: +told")
        self.assertRegex(shown, r"Batch Size: +24")
        shown = self.kubectl("explain", "tj.spec.session")
        self.assertRegex(shown, r"onLimit\s+<string>")
        self.assertRegex(self.kubectl("explain", "userquota.spec.weekly"), r"Board-time a week")

    def test_delete_takes_what_it_is_told_to(self):
        for name in ("gone-1", "gone-2"):
            self.create(name, label="gone")
        shown = self.kubectl("delete", "tj", "-l", "team=gone")
        self.assertEqual(2, len(re.findall(r'trainingjob.octet.dev "gone-\d" deleted', shown)))
        self.assertIn("(NotFound)", self.kubectl("delete", "tj", "gone-1", code=1))
        self.kubectl("delete", "tj", "gone-1", "--ignore-not-found")
        self.assertIn("(MethodNotAllowed)", self.kubectl("delete", "board", "local-0", code=1))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1][0].isdigit():
        VERSION = sys.argv.pop(1)
    unittest.main(verbosity=2)
