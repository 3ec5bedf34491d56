# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests held against the API's schema, and their pods run on this machine as the manifest says. It is no cluster: a pod is
its container's command with its environment, its user and its volumes, in a mount namespace."""
import json
import os
import shutil
import subprocess
import tempfile

import yaml

from lib import npm
from lib.target import ROOT


def read(text):
    """The objects of a manifest, as YAML 1.1 reads them (kubectl's reader does)."""
    return [one for one in yaml.safe_load_all(text) if one is not None]


def refused(objects):
    """What the API would refuse: lines, and how many fields were looked up."""
    modules = npm.install("kubernetes")
    done = subprocess.run(["node", os.path.join(ROOT, "tests/e2e/kubernetes/validate.mjs"), modules], input=json.dumps(objects),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1) and "looked up" in done.stderr, done
    return done.stdout.splitlines(), int(done.stderr.split()[0])


def find(objects, kind, name):
    found = [one for one in objects if one["kind"] == kind and one["metadata"]["name"] == name]
    assert len(found) == 1, (kind, name, [(o["kind"], o["metadata"]["name"]) for o in objects])
    return found[0]


# Mounts are private; /mnt is the pod's own.
POD = """
set -e
mount -t tmpfs none /mnt
mkdir /mnt/bin
cp "$POD_PROGRAM" /mnt/bin/plimsoll
chmod 755 /mnt /mnt/bin /mnt/bin/plimsoll
for volume in $POD_VOLUMES; do
    mkdir -p "${volume%%=*}"
    mount --bind "${volume#*=}" "${volume%%=*}"
done
exec setpriv --reuid "$POD_USER" --regid "$POD_USER" --groups "$POD_GROUP" --no-new-privs --inh-caps=-all --bounding-set=-all \\
    env -i PATH=/mnt/bin:/usr/bin:/bin HOME=/ "$@"
"""


class Pods:
    """The pods of a manifest. folder: the claims and ConfigMaps are folders in it."""

    def __init__(self, objects, program, folder=None):
        self.objects, self.program = objects, program
        self.folder = folder or tempfile.mkdtemp(prefix="pods-", dir="/tmp")
        os.makedirs(self.folder, exist_ok=True)
        os.chmod(self.folder, 0o755)
        for one in objects:
            if one["kind"] == "ConfigMap":
                self._write(f"config-{one['metadata']['name']}", one["data"])

    def _write(self, name, files):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        for file, text in files.items():
            with open(os.path.join(folder, file), "w", encoding="utf-8", newline="") as out:
                out.write(text)
            os.chmod(os.path.join(folder, file), 0o444)

    def claim(self, name, group):
        folder = os.path.join(self.folder, f"claim-{name}")
        os.makedirs(folder, exist_ok=True)
        os.chown(folder, 0, group)
        os.chmod(folder, 0o2775)
        return folder

    def _volume(self, spec, name, group):
        volume = next(v for v in spec["volumes"] if v["name"] == name)
        if "configMap" in volume:
            find(self.objects, "ConfigMap", volume["configMap"]["name"])
            return os.path.join(self.folder, f"config-{volume['configMap']['name']}")
        if "emptyDir" in volume:
            self._pods = getattr(self, "_pods", 0) + 1
            return self.claim(f"of-pod-{self._pods}", group)
        return self.claim(volume["persistentVolumeClaim"]["claimName"], group)

    def _secret(self, reference):
        secret = find(self.objects, "Secret", reference["name"])
        return secret["stringData"][reference["key"]]

    def pod(self, job, index):
        """argv and environment for a process that is this pod."""
        spec = job["spec"]["template"]["spec"]
        assert len(spec["containers"]) == 1 and spec["securityContext"]["runAsNonRoot"]
        container = spec["containers"][0]
        user, group = spec["securityContext"]["runAsUser"], spec["securityContext"]["fsGroup"]
        volumes = []
        for mount in container["volumeMounts"]:
            assert mount["mountPath"].startswith("/mnt/")
            volumes.append(f"{mount['mountPath']}={self._volume(spec, mount['name'], group)}")
        own = [f"{e['name']}={self._secret(e['valueFrom']['secretKeyRef'])}" for e in container.get("env", [])]
        if job["spec"].get("completionMode") == "Indexed":
            own.append(f"JOB_COMPLETION_INDEX={index}")
        assert not any("$(" in word for word in container["command"])
        argv = ["unshare", "-m", "--propagation", "private", "sh", "-c", POD, "pod", *own, *container["command"]]
        return argv, {"POD_PROGRAM": self.program, "POD_VOLUMES": " ".join(volumes), "POD_USER": str(user), "POD_GROUP": str(group)}

    def pods(self, name):
        """All of a Job's."""
        job = find(self.objects, "Job", name)
        return [self.pod(job, index) for index in range(job["spec"].get("completions", 1))]

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
