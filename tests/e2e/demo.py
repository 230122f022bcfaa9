"""The demo: a real cluster, real data, every promise shown once. Run it as ./setup.sh demo."""
import argparse
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import Cluster, kill  # noqa: E402

MANIFESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "manifests")


class Broken(Exception):
    """The cluster did not do what the demo promises."""


def title(text):
    print(f"\n\033[1m== {text}\033[0m" if sys.stdout.isatty() else f"\n== {text}", flush=True)


def say(text=""):
    print(text, flush=True)


def show(cluster, *arguments, user=None):
    """Runs a command and prints it with its output, as a person would see it."""
    say(f"$ octet {'--user ' + user + ' ' if user else ''}{' '.join(arguments)}")
    done = cluster.run(*arguments, user=user)
    say(done.stdout.rstrip() + ("\n" + done.stderr.rstrip() if done.stderr.strip() else ""))
    return done.stdout


def manifest(name):
    return os.path.relpath(os.path.join(MANIFESTS, name))


def check(holds, claim):
    if not holds:
        raise Broken(claim)
    say(f"  ok: {claim}")


def few_epochs(log):
    """The first, some middle and the last epoch of a job's log."""
    lines = [line for line in log.splitlines() if re.search(r"epoch +\d+/", line)]
    if len(lines) <= 6:
        return lines
    chosen = sorted({0, 1, len(lines) // 3, 2 * len(lines) // 3, len(lines) - 2, len(lines) - 1})
    return [lines[i] for i in chosen]


def train(cluster, name, user):
    """Waits for a job's end, shows how it learned, and gives it."""
    started = time.monotonic()
    cluster.run("wait", f"tj/{name}", "--for=condition=Complete", "--timeout=5m", timeout=330)
    say(f"$ octet logs {name}        # some of its epochs; finished {time.monotonic() - started:.1f} s after it was watched")
    for line in few_epochs(cluster.run("logs", name, user=user).stdout):
        say("  " + line)
    return cluster.get("trainingjob", name)


def reached(job, least):
    accuracy = job["status"]["progress"]["validationAccuracy"]
    check(accuracy >= least, f"{job['metadata']['name']}: validation accuracy {accuracy:.1%}, at least {least:.0%} wanted")


def start(cluster):
    title("A cluster: one coordinator and four workers, each an emulated TPU v3-8 board of 8 cores")
    say("$ octet up --boards 4")
    say(cluster.up().stdout.rstrip())
    title("Two users and their quotas")
    show(cluster, "apply", "-f", manifest("users.yaml"))
    cluster.until("the quotas are counted", lambda: all(
        "status" in quota for quota in cluster.get("userquotas")))
    show(cluster, "get", "userquotas")


def train_on_one_and_four(cluster):
    title("Iris and digits on one board")
    show(cluster, "apply", "-f", manifest("iris.yaml"), "-f", manifest("digits-v3-8.yaml"), user="alice")
    reached(train(cluster, "iris", "alice"), 0.95)
    one = train(cluster, "digits", "alice")
    reached(one, 0.95)

    title("The same digits on a slice of four boards: gradients are all-reduced between them over ZeroMQ")
    show(cluster, "apply", "-f", manifest("digits-v3-32.yaml"), user="alice")
    four = train(cluster, "digits-slice", "alice")
    reached(four, 0.95)
    say(f"  weights on one board    sha256:{one['status']['weightsSha256']}")
    say(f"  weights on four boards  sha256:{four['status']['weightsSha256']}")
    check(one["status"]["weightsSha256"] == four["status"]["weightsSha256"],
          "the weights are the same, bit for bit")


def refuse_and_hold(cluster):
    title("A job that asks for more than bert's week has is held, and says why")
    show(cluster, "apply", "-f", manifest("too-much.yaml"), user="bert")

    def held():
        conditions = cluster.get("trainingjob", "too-much").get("status", {}).get("conditions", [])
        return next((c for c in conditions if c["type"] == "QuotaReserved" and c["status"] == "False"), None)
    condition = cluster.until("the job is held", held)
    say(f"  {condition['reason']}: {condition['message']}")
    show(cluster, "get", "trainingjobs")

    title("A file with mistakes is refused as a whole, with every mistake in it")
    bad = "apiVersion: octet.dev/v1\nkind: TrainingJob\nmetadata: {name: bad}\nspec:\n" \
          "  accelerator: {type: v3-16}\n  trainning: {epochs: 3}\n  session: {duration: 3 hours}\n"
    say("$ octet apply -f -  <<EOF")
    say("".join("  | " + line + "\n" for line in bad.splitlines()) + "EOF")
    refused = cluster.run("apply", "-f", "-", stdin=bad, code=1)
    say(refused.stderr.rstrip())
    check("v3-8" in refused.stderr and "v3-32" in refused.stderr, "it is refused, and v3-16's neighbours are named")


def longer(name, accelerator, epochs=200):
    """The digits job, long enough to be disturbed."""
    with open(os.path.join(MANIFESTS, "digits-v3-32.yaml"), encoding="utf-8") as file:
        text = file.read()
    for old, new in (("name: digits-slice", f"name: {name}"), ("type: v3-32", f"type: {accelerator}"),
                     ("epochs: 30", f"epochs: {epochs}"), ("everySteps: 100", "everySteps: 50"),
                     ("data/digits.csv", os.path.abspath(os.path.join(MANIFESTS, "data", "digits.csv")))):
        if old not in text:
            raise Broken(f"digits-v3-32.yaml has no \"{old}\" any more")
        text = text.replace(old, new)
    return text


def survive(cluster):
    title("A worker is killed in the middle of training: the digits again, for 200 epochs")
    cluster.run("apply", "-f", "-", stdin=longer("digits-calm", "v3-8"), user="alice")
    bits = train(cluster, "digits-calm", "alice")["status"]["weightsSha256"]
    cluster.run("apply", "-f", "-", stdin=longer("digits-killed", "v3-32"), user="alice")

    def trained_a_little():
        status = cluster.get("trainingjob", "digits-killed").get("status", {})
        if status.get("phase") in ("Succeeded", "Failed"):
            raise Broken("digits-killed ended before it could be disturbed")
        return status.get("checkpoint", {}).get("step", 0) > 0 and status.get("session")
    session = cluster.until("the job has a checkpoint", trained_a_little)
    board = session["boards"][1]
    pid = cluster.worker_pids()[board]
    kill(pid)
    say(f"  killed {board} (process {pid}) with SIGKILL")
    job = train(cluster, "digits-killed", "alice")
    status = job["status"]
    say(f"  attempts {status['attempts']}, interruptions {status['interruptions']}, failures {status['failures']}")
    check(status["interruptions"] >= 1, "the loss was counted as an interruption")
    check(status["weightsSha256"] == bits, "it ends with the same weights as the undisturbed run on one board")


def show_metrics(page, wanted):
    for line in page.splitlines():
        if re.match(wanted, line):
            say("  " + line)


def account(cluster):
    title("The metrics pages, their key lines: the coordinator's and one worker's")
    show_metrics(cluster.http("", base="metrics"),
                 r"^octet_(build_info|boards|jobs|queue_length|quota_(used|limit)|sessions_ended)")
    # A board is sampled once a second while it works; an idle one has no share of busy time.
    cluster.run("apply", "-f", "-", stdin=longer("digits-measured", "v3-8", epochs=100_000), user="alice")
    session = cluster.until("a board works", lambda: cluster.get("trainingjob", "digits-measured")
                            .get("status", {}).get("session"))
    board = cluster.get("board", session["boards"][0])
    say(f"\n  {session['boards'][0]}, while it trains:")
    url = f"http://{board['status']['metricsAddress']}/metrics"
    cluster.until("the board's use is sampled", lambda: "octet_board_mxu_ratio" in cluster.fetch(url))
    show_metrics(cluster.fetch(url),
                 r"^octet_(build_info|board_(mxu|idle)|worker_(steps|examples|loss|step_seconds_(sum|count)|all_reduce_(bytes|seconds_(sum|count))))")
    cluster.run("delete", "tj", "digits-measured")
    title("What it cost: the sessions, and the quota that is their sum")
    cluster.until("no session is open", lambda: all(
        session["status"].get("ended") for session in cluster.get("sessions")))
    show(cluster, "get", "sessions")
    charges = {}
    for session in cluster.get("sessions"):
        user = session["spec"]["user"]
        charges[user] = charges.get(user, 0) + session["status"]["chargeMillis"]

    def counted():
        used = {q["spec"]["user"]: q["status"]["usedMillis"] for q in cluster.get("userquotas")}
        return used if used.get("alice") == charges.get("alice") else None
    used = cluster.until("the quota counts the last session", counted, timeout=15)
    show(cluster, "get", "userquotas")
    check(used["alice"] == charges["alice"],
          f"alice's charges add up: {charges['alice']} board-milliseconds in her sessions and in her quota")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--quick", action="store_true", help="leave out the killed worker")
    parser.add_argument("--keep", action="store_true", help="leave the cluster running")
    options = parser.parse_args()
    started = time.monotonic()
    home = tempfile.mkdtemp(prefix="octet-demo-")
    cluster = Cluster(options.bin, boards=4, home=home)
    try:
        start(cluster)
        train_on_one_and_four(cluster)
        refuse_and_hold(cluster)
        if not options.quick:
            survive(cluster)
        account(cluster)
    except BaseException as error:
        cluster.print_logs()
        cluster.down()
        say(f"\nThe demo failed: {error}\nThe cluster's home is kept: {home}")
        if not isinstance(error, (Broken, TimeoutError, Exception)):
            raise
        return 1
    if options.keep:
        title("The cluster goes on")
        say(f"  export OCTET_HOME={home}\n  {os.path.relpath(options.bin)}/octet status\n  {os.path.relpath(options.bin)}/octet down")
    else:
        title("The cluster stops")
        say("$ octet down\n" + cluster.down().stdout.rstrip())
        shutil.rmtree(home, ignore_errors=True)
    say(f"\nThe demo took {time.monotonic() - started:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
