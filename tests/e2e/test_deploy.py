# SPDX-License-Identifier: GPL-3.0-or-later
"""deploy/ and the Containerfile: what they say is started with the real program, its ports and paths are asked, and every
reference between them leads somewhere."""
import os
import re
import shutil
import signal
import subprocess

import pytest

from lib import manifests, target
from lib.process import Process, free_port, wait_until
from lib.serve_http import Connection, request

yaml = pytest.importorskip("yaml")

PORT = 3000
TOKEN = "a-token-of-this-test"
KNOWN = {"plimsoll/token": TOKEN, "metadata.labels['pod-template-hash']": "5d4f"}
KUBERNETES = ["kubernetes", "openshift", "kyma", "storage"]
OVERLAYS = ["kubernetes", "openshift", "kyma"]
MANIFESTS = list(manifests.files(*KUBERNETES))
WORKLOADS = [(name, one) for name in MANIFESTS for one in manifests.read(name) if one["kind"] in ("Deployment", "Job") and one["spec"].get("selector",
             one["kind"] == "Job")]  # whole ones, no patches
STORAGE = [name for name in manifests.files("storage") if not name.endswith("use-claim.yaml")]
CLOUD_FOUNDRY = list(manifests.files("cloudfoundry"))


class Started:
    """A server started as a manifest says, on another port and with another folder than the manifest's; `argv` is run as it is."""

    def __init__(self, argv, env, port):
        self.process, self.port = Process(argv, env=env), port
        try:
            wait_until(self._listens, f"{argv} listens", 30)
        except AssertionError:
            said = self.process.err()
            self.process.close()
            raise AssertionError(f"{argv}: {said}") from None

    def _listens(self):
        assert self.process.running(), self.process.err()
        return "listening on" in self.process.out()

    def status(self, path, method="GET", headers=()):
        c = Connection(self.port, False, 20)
        try:
            c.send(request(path, method, b"", headers))
            return c.reply().status
        finally:
            c.close()

    def stop(self):
        self.process.signal(signal.SIGTERM)
        return self.process.finish(30).exit


def moved(words, port, folder):
    """Port 3000 and /data of an image become those of this test."""
    return [re.sub(r"(?<=[:=])/data\b|^/data\b", folder, re.sub(rf":{PORT}\b", f":{port}", word)) for word in words]


def image():
    """What the Containerfile ends with: {"ENTRYPOINT": […], "CMD": […], "USER": …, "EXPOSE": …, "ENV": {…}}."""
    lines = manifests.containerfile()
    last = max(k for k, (word, _) in enumerate(lines) if word == "FROM")
    found = {"ENV": {}}
    for word, rest in lines[last:]:
        if word == "ENV":
            found["ENV"].update(part.split("=", 1) for part in rest.split())
        else:
            found[word] = yaml.safe_load(rest) if rest.startswith("[") else rest
    return found


def command_of(container, plimsoll, env):
    """As the platform makes it of the image and the manifest, with the program of this test in place of the installed one."""
    words = container.get("command", image()["ENTRYPOINT"]) + container.get("args", [] if "command" in container else image()["CMD"])
    words = manifests.expanded(words, env)
    return [plimsoll, *words[1:]] if words[0] == "plimsoll" else words


@pytest.mark.parametrize("name", MANIFESTS)
def test_fields(name):
    found = manifests.read(name)
    assert found
    wrong = [fault for one in found for fault in manifests.object_faults(one, name)]
    assert not wrong, "\n".join(wrong)


def test_that_the_fields_are_looked_at():
    """The check itself: a mistyped field, a wrong type, an unknown kind, a bad quantity."""
    for text, fault in [("{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selectors: {}}}", "no field 'selectors'"),
                        ("{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: '3000'}]}}", "'3000' is no"),
                        ("{apiVersion: v1beta1, kind: Service, metadata: {name: a}}", "unknown kind"),
                        ("{apiVersion: v1, kind: Service, metadata: {}}", "without a name"),
                        ("{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {capacity: {storage: 1Gb}}}", "1Gb")]:
        assert fault in "\n".join(manifests.object_faults(yaml.safe_load(text), "x"))


def test_the_image_runs_what_the_manifests_start():
    made = image()
    assert made["ENTRYPOINT"] == ["plimsoll"] and made["EXPOSE"] == str(PORT)
    user, group = made["USER"].split(":")
    assert int(user) > 0 and group == "0"  # a number: the kubelet can see that it is not root
    for name, one in WORKLOADS:
        pod = one["spec"]["template"]["spec"]
        for container in pod["containers"]:
            rights = {**pod.get("securityContext", {}), **container["securityContext"]}
            assert rights["runAsUser"] == int(user) and rights["runAsGroup"] == 0 and rights["runAsNonRoot"] is True, name
    for word, rest in manifests.containerfile():
        if word == "COPY" and not rest.startswith("--from"):
            assert os.path.exists(os.path.join(target.ROOT, rest.split()[0]))
        for command in re.findall(r"\./dev (\w+)", rest) if word == "RUN" else []:
            usage = subprocess.run([os.path.join(target.ROOT, "dev"), "help"], capture_output=True, text=True, timeout=30, check=True).stdout
            assert re.search(rf"^\./dev {command}\b", usage, re.M)


def test_the_image_as_it_stands(plimsoll, tmp_path):
    made, port = image(), free_port()
    argv = moved([plimsoll, *made["ENTRYPOINT"][1:], *made["CMD"]], port, str(tmp_path))
    env = {name: value.replace("/data", str(tmp_path)) for name, value in made["ENV"].items()}
    server = Started(argv, env, port)
    assert server.status("/healthz") == 200
    assert server.status("/generate-files?n=1&size=10") == 403  # nobody may write on a public server without a token
    assert server.stop() == 0
    server = Started(argv, {**env, "PLIMSOLL_TOKEN": TOKEN}, port)
    assert server.status("/generate-files?n=1&size=10", headers=[f"Authorization: Bearer {TOKEN}"]) == 200
    assert os.listdir(tmp_path / "output")
    assert server.stop() == 0


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_deployment(plimsoll, tmp_path, overlay):
    """Every command as it is after the overlay's patches; probes and writes answered; files only where a volume is."""
    pod = manifests.kustomized(overlay)["Deployment"]["spec"]["template"]["spec"]
    container, = pod["containers"]
    assert [p["containerPort"] for p in container["ports"]] == [PORT]
    env, port = manifests.environment(container, KNOWN), free_port()
    server = Started(moved(command_of(container, plimsoll, env), port, str(tmp_path)), env, port)
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["port"] in (container["ports"][0]["name"], PORT)
        assert server.status(container[probe]["httpGet"]["path"]) == 200
    assert server.status("/generate-files?n=1&size=10") == 401
    assert server.status("/generate-files?n=1&size=10", headers=[f"Authorization: Bearer {TOKEN}"]) == 200
    assert server.status(f"/recursive/3?url=http://127.0.0.1:{port}") == 200
    assert server.stop() == 0
    mounts = {m["name"]: m["mountPath"] for m in container["volumeMounts"]}
    assert mounts == {"data": "/data"} and [v["name"] for v in pod["volumes"]] == ["data"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


def test_overlays():
    openshift, kyma = manifests.kustomized("openshift"), manifests.kustomized("kyma")
    rights = openshift["Deployment"]["spec"]["template"]["spec"]["securityContext"]
    assert not {"runAsUser", "runAsGroup", "fsGroup"} & set(rights) and rights["runAsNonRoot"] is True
    sidecar = "sidecar.istio.io/inject"
    for found, value in ((openshift, "false"), (kyma, "true")):
        template = found["Deployment"]["spec"]["template"]
        assert template["metadata"]["labels"][sidecar] == value and template["metadata"]["labels"]["app"] == "plimsoll"


def test_kustomize_says_the_same():
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    for overlay in OVERLAYS:
        done = subprocess.run(["kubectl", "kustomize", os.path.join(manifests.DEPLOY, overlay)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert {one["kind"]: one for one in yaml.safe_load_all(done.stdout)} == manifests.kustomized(overlay)


def test_references():
    """Selectors, ports and names lead to something that is there."""
    found = {**manifests.kustomized("kubernetes"), **manifests.kustomized("openshift"), **manifests.kustomized("kyma")}
    deployment, service = found["Deployment"], found["Service"]
    ingress, = manifests.read("kubernetes/ingress.yaml")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    for selector in (deployment["spec"]["selector"]["matchLabels"], service["spec"]["selector"]):
        assert selector and selector.items() <= labels.items()
    names = [p["name"] for p in deployment["spec"]["template"]["spec"]["containers"][0]["ports"]]
    port, = service["spec"]["ports"]
    assert port["port"] == PORT and port["targetPort"] in names
    name = service["metadata"]["name"]
    backend = ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": name, "port": {"name": port["name"]}}
    route = found["Route"]["spec"]
    assert route["to"]["name"] == name and route["port"]["targetPort"] == port["name"]
    assert found["APIRule"]["spec"]["service"] == {"name": name, "port": PORT}
    claim, = manifests.read("storage/use-claim.yaml")
    with_claim = manifests.merged(deployment, claim)["spec"]["template"]["spec"]["volumes"]
    assert with_claim == [{"name": "data", "persistentVolumeClaim": {"claimName": "plimsoll-data"}}]


@pytest.mark.parametrize("name", STORAGE)
def test_storage(name):
    """A class that makes a volume, or a volume that is there: the claim of the deployment is bound to it and nothing else."""
    found = {one["kind"]: one for one in manifests.read(name)}
    claim = found["PersistentVolumeClaim"]
    assert claim["metadata"]["name"] == "plimsoll-data"
    if name.endswith("-static.yaml"):
        volume = found["PersistentVolume"]
        assert set(found) == {"PersistentVolume", "PersistentVolumeClaim"}
        assert claim["spec"]["volumeName"] == volume["metadata"]["name"]
        assert claim["spec"]["storageClassName"] == volume["spec"]["storageClassName"] == ""
        assert set(claim["spec"]["accessModes"]) <= set(volume["spec"]["accessModes"])
        assert claim["spec"]["resources"]["requests"]["storage"] == volume["spec"]["capacity"]["storage"]
        assert ("nfs" in volume["spec"]) != ("csi" in volume["spec"])
    else:
        assert set(found) == {"StorageClass", "PersistentVolumeClaim"}
        assert claim["spec"]["storageClassName"] == found["StorageClass"]["metadata"]["name"]


def test_every_kind_of_storage_both_ways():
    kinds = {name.split("/")[1].replace("-static", "").replace(".yaml", "") for name in STORAGE}
    assert kinds == {"cephfs-rook", "efs", "nfs", "azure-files"} and len(STORAGE) == 8


def test_the_job(plimsoll, tmp_path):
    """Its suite against the deployment's server, as they would meet in a cluster; the suite's smallest scale."""
    (_, job), = [(name, one) for name, one in WORKLOADS if one["kind"] == "Job"]
    pod = job["spec"]["template"]["spec"]
    assert pod["hostNetwork"] is True and pod["dnsPolicy"] == "ClusterFirstWithHostNet" and pod["restartPolicy"] == "Never"
    key, value = pod["nodeSelector"].popitem()
    assert pod["tolerations"] == [{"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}]
    container, = pod["containers"]
    env = {name: value.replace("/data", str(tmp_path)) for name, value in image()["ENV"].items()}
    env.update({name: value.replace("/data", str(tmp_path)) for name, value in manifests.environment(container, KNOWN).items()})
    serving = manifests.kustomized("kubernetes")["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    port, given = free_port(), manifests.environment(serving, KNOWN)
    server = Started(moved(command_of(serving, plimsoll, given), port, str(tmp_path)), given, port)
    argv = [word.replace(f"http://plimsoll:{PORT}", f"http://127.0.0.1:{port}").replace("scale=demo", "scale=tiny")
            for word in command_of(container, plimsoll, env)]
    assert f"--set=target=http://127.0.0.1:{port}" in argv and "--set=scale=tiny" in argv
    argv[argv.index("cloud-check")] = os.path.join(target.ROOT, "suites", "cloud-check.yaml")
    done = Process(argv, env=env, cwd=tmp_path).finish(120)
    assert done.exit == 0, done
    assert "large_replace.MB_per_s" in done.out
    assert TOKEN not in done.out + done.err
    assert os.path.exists(tmp_path / "results.db")
    assert server.stop() == 0


def test_the_port_range_of_the_job(start_namespace):
    (_, job), = [(name, one) for name, one in WORKLOADS if one["kind"] == "Job"]
    first, = job["spec"]["template"]["spec"]["initContainers"]
    assert first["securityContext"] == {"privileged": True, "runAsUser": 0}
    shown = ["sh", "-c", '"$@"; cat /proc/sys/net/ipv4/ip_local_port_range', "sh", *first["command"]]
    done = subprocess.run([*start_namespace().prefix, *shown], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.split() == ["1024", "65535"], done.stderr


@pytest.mark.parametrize("name", CLOUD_FOUNDRY)
def test_cloud_foundry(plimsoll, tmp_path, name):
    """Started by a shell, in a folder of its own, on the port that the platform gives."""
    document, = manifests.read(name)
    application, = document["applications"]
    assert list(document) == ["applications"]
    assert not list(manifests.faults(application, manifests.APPLICATION, name))
    assert ("docker" in application) != ("path" in application)
    if "path" in application:
        place = os.path.relpath(os.path.normpath(os.path.join(manifests.DEPLOY, "cloudfoundry", application["path"])), target.ROOT)
        with open(os.path.join(target.ROOT, "scripts", "static.sh"), encoding="utf-8") as file:
            assert f'"$PACKAGES/{os.path.basename(place)}/plimsoll"' in file.read() and os.path.dirname(place) == "build-packages"
    port = free_port()
    (tmp_path / "data").mkdir()
    os.symlink(plimsoll, tmp_path / "plimsoll")
    command = application["command"].replace("/data", str(tmp_path / "data"))
    env = {"PORT": str(port), "PLIMSOLL_TOKEN": TOKEN, "PATH": f"{tmp_path}:{os.environ['PATH']}",
           "VCAP_APPLICATION": '{"uris":["plimsoll.example.com"],"application_name":"plimsoll"}'}
    server = Started(["sh", "-c", f"cd {tmp_path} && {command}"], env, port)
    assert server.status(application["health-check-http-endpoint"]) == 200
    assert server.status(application["readiness-health-check-http-endpoint"]) == 200
    assert server.status("/generate-files?n=1&size=10", headers=[f"Authorization: Bearer {TOKEN}"]) == 200
    assert os.listdir(tmp_path / "data")
    assert server.stop() == 0


def test_what_the_page_says(plimsoll):
    """docs/deploy.md: files that it names are there, commands of plimsoll are understood."""
    with open(os.path.join(target.ROOT, "docs", "deploy.md"), encoding="utf-8") as file:
        text = file.read()
    named = set(re.findall(r"\bdeploy/[\w./-]*\w", text))
    assert named
    missing = [name for name in named if not os.path.exists(os.path.join(target.ROOT, name))]
    assert not missing
    usage = subprocess.run([os.path.join(target.ROOT, "dev"), "help"], capture_output=True, text=True, timeout=30, check=True).stdout
    blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)).replace("\\\n", " ")
    runs = [line.split("#")[0].strip() for line in blocks.splitlines() if line.startswith("plimsoll run ")]
    assert runs
    for line in runs:
        words = line.replace("$(cat token)", TOKEN).replace("run cloud-check", "run suites/cloud-check.yaml")  # installed it has a name: test_packaging.py
        done = subprocess.run(["sh", "-c", words.replace("plimsoll", f"'{plimsoll}'", 1) + " --dry-run"], cwd=target.ROOT, capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    for word in re.findall(r"^\./dev (\w+)", blocks, re.M):
        assert re.search(rf"^\./dev {word}\b", usage, re.M), word
    for name in manifests.files():
        assert os.path.basename(name) in text or os.path.dirname(name) in text, f"{name} is not explained"
