"""The Helm chart: lint, and `helm template` against golden files, with the real helm.

helm comes from npm by tests/counterparts. Where npm or its registry is not to be had, the test says that it is
skipped and why. After a wanted change of the chart:
OCTET_UPDATE_GOLDEN=1 python3 tests/golden/helm/helm_test.py
"""
import glob
import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "counterparts"))
from kubernetes_tools import fetch  # noqa: E402

CHART = os.path.join(ROOT, "helm", "octet")
CASES = {
    "default": [],
    "everything": ["--set", "worker.data.claim=data", "--set", "worker.checkpoints.claim=checkpoints",
                   "--set", "coordinator.storage.className=fast", "--set", "imagePullSecrets[0].name=registry",
                   "--set", "worker.boards=8", "--set", "worker.nodeSelector.kind=big"],
    "bare": ["--set", "metrics.annotations=false", "--set", "grafana.dashboard=false",
             "--set", "networkPolicy.enabled=false", "--set", "worker.data.configMap=iris"],
}


TOOLS, WHY = fetch("1.35")
HELM = TOOLS and os.path.join(TOOLS, "helm", "helm")


@unittest.skipIf(HELM is None, WHY)
class Chart(unittest.TestCase):
    maxDiff = None

    def helm(self, *arguments, code=0):
        done = subprocess.run([HELM, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def template(self, case):
        return self.helm("template", "demo", CHART, "--namespace", "octet", "--kube-version", "1.35.0", *CASES[case])

    def test_lint_finds_nothing(self):
        for case in CASES.values():
            text = self.helm("lint", "--strict", CHART, *case)
            self.assertIn("0 chart(s) failed", text)

    def test_template_is_what_the_golden_files_say(self):
        for case in CASES:
            path = os.path.join(HERE, case + ".yaml")
            text = self.template(case)
            if os.environ.get("OCTET_UPDATE_GOLDEN"):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), text, f"{case}: see the head of this test for how to accept a change")

    def test_immutable_fields_hold_only_labels_that_never_change(self):
        # A StatefulSet whose volume claims or selectors carry a version cannot be upgraded.
        for document in self.template("default").split("\n---\n"):
            if "kind: StatefulSet" not in document:
                continue
            for part in re.findall(r"matchLabels:\n((?:      .*\n)+)", document) + \
                    re.findall(r"volumeClaimTemplates:\n((?:    .*\n)+)", document):
                self.assertNotIn("version", part)
                self.assertNotIn("chart", part)

    def test_pods_run_without_privileges_on_a_read_only_root(self):
        text = self.template("default")
        for wanted in ("runAsNonRoot: true", "readOnlyRootFilesystem: true", "allowPrivilegeEscalation: false",
                       "drop: [ALL]", "type: RuntimeDefault"):
            self.assertEqual(2, text.count(wanted), wanted)

    def test_the_programs_take_the_flags_that_the_pods_give_them(self):
        bin_folder = os.environ.get("OCTET_BIN")
        if not bin_folder:
            self.skipTest("OCTET_BIN does not say where the programs are")
        for program in ("octet-coordinator", "octet-worker"):
            _, _, rest = self.template("default").partition(f"command: [{program}]")
            self.assertTrue(rest, program)
            flags = re.match(r"\n\s+args:\n((?:\s+(?:- --|#).*\n)+)", rest).group(1)
            given = [line.strip()[2:] for line in flags.splitlines() if line.strip().startswith("- ")]
            given = [flag.replace("$(POD_NAME)", "demo-octet-worker-3").replace("$(POD_IP)", "10.0.0.7")
                     for flag in given]
            # Flags are read from left to right; --version then ends the program.
            done = subprocess.run([os.path.join(bin_folder, program), *given, "--version"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertIn(program, done.stdout)

    def test_a_wrong_value_is_refused(self):
        self.assertIn("boards", self.helm("template", "demo", CHART, "--set", "worker.boards=0", code=1))
        self.assertIn("bords", self.helm("template", "demo", CHART, "--set", "worker.bords=2", code=1))


@unittest.skipIf(HELM is None, WHY)
class Definitions(unittest.TestCase):
    CHART = os.path.join(ROOT, "helm", "octet-crds")

    def test_the_chart_holds_what_the_description_of_the_kinds_yields(self):
        bin_folder = os.environ.get("OCTET_BIN")
        if not bin_folder:
            self.skipTest("OCTET_BIN does not say where the programs are")
        made = subprocess.run([os.path.join(bin_folder, "octet"), "crds"], capture_output=True, text=True, check=True)
        path = os.path.join(self.CHART, "templates", "crds.yaml")
        if os.environ.get("OCTET_UPDATE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(made.stdout)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), made.stdout, "run: octet crds > helm/octet-crds/templates/crds.yaml")

    def test_helm_takes_the_chart(self):
        done = subprocess.run([HELM, "lint", "--strict", self.CHART], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        shown = subprocess.run([HELM, "template", "crds", self.CHART, "--kube-version", "1.35.0"],
                               capture_output=True, text=True, check=True).stdout
        self.assertEqual(5, shown.count("\nkind: CustomResourceDefinition"))


class Dashboard(unittest.TestCase):
    def test_every_metric_of_the_dashboard_exists_in_the_programs(self):
        tables = ""
        for path in glob.glob(os.path.join(ROOT, "*", "metrics", "*.cc")) + \
                glob.glob(os.path.join(ROOT, "*", "metrics", "*.h")):
            with open(path, encoding="utf-8") as file:
                tables += file.read()
        for path in glob.glob(os.path.join(CHART, "dashboards", "*.json")):
            with open(path, encoding="utf-8") as file:
                dashboard = json.load(file)
            for panel in dashboard["panels"]:
                for target in panel["targets"]:
                    for name in re.findall(r"\boctet_[a-z_]+", target["expr"]):
                        base = re.sub(r"_(bucket|sum|count)$", "", name)
                        self.assertIn(f'"{base}"', tables, f"{panel['title']}: {name}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
