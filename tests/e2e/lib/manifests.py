# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifests of deploy/: read, their fields held against what their kinds know, and their containers' commands as the
platform would start them."""
import os
import re

import yaml

from lib import target

DEPLOY = os.path.join(target.ROOT, "deploy")
ANY = object()  # a value that is not looked into
TEXTS = [str]


def quantity(value):
    return re.fullmatch(r"\d+(\.\d+)?(m|Ki|Mi|Gi)?", str(value)) is not None


META = {"name": str, "labels": {"*": str}, "annotations": {"*": str}}
PORT_NAME = (str, int)
PROBE = {"httpGet": {"path": str, "port": PORT_NAME}, "periodSeconds": int, "timeoutSeconds": int, "failureThreshold": int}
SECRET_KEY = {"name": str, "key": str}
CONTAINER = {
    "name": str, "image": str, "command": TEXTS, "args": TEXTS,
    "env": [{"name": str, "value": str, "valueFrom": {"secretKeyRef": SECRET_KEY, "fieldRef": {"fieldPath": str}}}],
    "ports": [{"name": str, "containerPort": int}],
    "startupProbe": PROBE, "readinessProbe": PROBE, "livenessProbe": PROBE,
    "resources": {"requests": {"*": quantity}, "limits": {"*": quantity}},
    "securityContext": {"allowPrivilegeEscalation": bool, "readOnlyRootFilesystem": bool, "privileged": bool, "runAsNonRoot": bool, "runAsUser": int,
                        "runAsGroup": int, "capabilities": {"drop": TEXTS}},
    "volumeMounts": [{"name": str, "mountPath": str}],
}
POD = {
    "metadata": META,
    "spec": {
        "automountServiceAccountToken": bool, "terminationGracePeriodSeconds": int, "restartPolicy": str, "hostNetwork": bool, "dnsPolicy": str,
        "nodeSelector": {"*": str}, "tolerations": [{"key": str, "operator": str, "value": str, "effect": str}],
        "securityContext": {"runAsNonRoot": bool, "runAsUser": int, "runAsGroup": int, "fsGroup": int, "seccompProfile": {"type": str}},
        "containers": [CONTAINER], "initContainers": [CONTAINER],
        "volumes": [{"name": str, "emptyDir": {"sizeLimit": quantity}, "persistentVolumeClaim": {"claimName": str}}],
    },
}
MODES = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]
# Kind and version, its fields, and those that must be there.
KINDS = {
    ("apps/v1", "Deployment"): {"spec": {"replicas": int, "selector": {"matchLabels": {"*": str}}, "template": POD}},
    ("v1", "Service"): {"spec": {"selector": {"*": str}, "ports": [{"name": str, "port": int, "targetPort": PORT_NAME}]}},
    ("batch/v1", "Job"): {"spec": {"backoffLimit": int, "ttlSecondsAfterFinished": int, "template": POD}},
    ("networking.k8s.io/v1", "Ingress"): {"spec": {"rules": [{"host": str, "http": {"paths": [
        {"path": str, "pathType": str, "backend": {"service": {"name": str, "port": {"name": str, "number": int}}}}]}}]}},
    ("route.openshift.io/v1", "Route"): {"spec": {
        "to": {"kind": str, "name": str, "weight": int}, "port": {"targetPort": PORT_NAME}, "wildcardPolicy": str,
        "tls": {"termination": str, "insecureEdgeTerminationPolicy": str}}},
    ("gateway.kyma-project.io/v2", "APIRule"): {"spec": {
        "gateway": str, "hosts": TEXTS, "service": {"name": str, "port": int}, "timeout": int,
        "rules": [{"path": str, "methods": TEXTS, "noAuth": bool}]}},
    ("storage.k8s.io/v1", "StorageClass"): {
        "provisioner": str, "parameters": {"*": str}, "mountOptions": TEXTS, "reclaimPolicy": str, "allowVolumeExpansion": bool},
    ("v1", "PersistentVolume"): {"spec": {
        "accessModes": [MODES], "capacity": {"storage": quantity}, "storageClassName": str, "persistentVolumeReclaimPolicy": str, "mountOptions": TEXTS,
        "nfs": {"server": str, "path": str},
        "csi": {"driver": str, "volumeHandle": str, "volumeAttributes": {"*": str}, "nodeStageSecretRef": {"name": str, "namespace": str}}}},
    ("v1", "PersistentVolumeClaim"): {"spec": {
        "accessModes": [MODES], "storageClassName": str, "volumeName": str, "resources": {"requests": {"storage": quantity}}}},
    ("kustomize.config.k8s.io/v1beta1", "Kustomization"): {"resources": TEXTS, "patches": [{"path": str}]},
}
APPLICATION = {
    "name": str, "path": str, "buildpacks": TEXTS, "docker": {"image": str}, "command": str, "memory": str, "disk_quota": str, "instances": int,
    "health-check-type": str, "health-check-http-endpoint": str, "readiness-health-check-type": str, "readiness-health-check-http-endpoint": str,
}


def faults(value, wanted, where):
    """What is not as `wanted` has it: unknown fields, wrong types. None is a field that a patch removes."""
    if value is None:
        return
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            yield f"{where}: {value!r} is no map"
            return
        for key, inner in value.items():
            if key not in wanted and "*" not in wanted:
                yield f"{where}: there is no field {key!r}"
            else:
                yield from faults(inner, wanted.get(key, wanted.get("*")), f"{where}.{key}")
    elif isinstance(wanted, list) and isinstance(wanted[0], str):
        if value not in wanted:
            yield f"{where}: {value!r} is none of {wanted}"
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            yield f"{where}: {value!r} is no list"
            return
        for k, inner in enumerate(value):
            yield from faults(inner, wanted[0], f"{where}[{k}]")
    elif isinstance(wanted, (type, tuple)):
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            yield f"{where}: {value!r} is no {wanted}"
    elif not wanted(value):
        yield f"{where}: {value!r}"


def object_faults(one, where):
    fields = KINDS.get((one.get("apiVersion"), one.get("kind")))
    if fields is None:
        yield f"{where}: unknown kind {one.get('apiVersion')} {one.get('kind')}"
        return
    yield from faults(one, {"apiVersion": str, "kind": str, "metadata": META, **fields}, f"{where}: {one['kind']}")
    if one["kind"] != "Kustomization" and not (one.get("metadata") or {}).get("name"):
        yield f"{where}: {one['kind']} without a name"


def files(*folders):
    for folder in folders or sorted(os.listdir(DEPLOY)):
        for name in sorted(os.listdir(os.path.join(DEPLOY, folder))):
            yield os.path.join(folder, name)


def read(name):
    with open(os.path.join(DEPLOY, name), encoding="utf-8") as file:
        return [one for one in yaml.safe_load_all(file) if one is not None]


def merged(into, patch):
    """A strategic merge as far as our patches go: maps field by field, null removes, lists of named things by their names."""
    if isinstance(into, dict) and isinstance(patch, dict):
        out = dict(into)
        for key, value in patch.items():
            if value is None:
                out.pop(key, None)
            else:
                out[key] = merged(out[key], value) if key in out else merged({}, value) if isinstance(value, dict) else value
        return out
    if isinstance(into, list) and isinstance(patch, list) and all(isinstance(x, dict) and "name" in x for x in into + patch):
        out = {one["name"]: one for one in into}
        for one in patch:
            out[one["name"]] = merged(out.get(one["name"], {}), one)
        return list(out.values())
    return patch


def kustomized(folder):
    """What `kubectl apply -k` would send, by kind."""
    found = {}
    kustomization = read(os.path.join(folder, "kustomization.yaml"))[0]
    for name in kustomization["resources"]:
        place = os.path.normpath(os.path.join(folder, name))
        found.update(kustomized(place) if not name.endswith(".yaml") else {one["kind"]: one for one in read(place)})
    for patch in kustomization.get("patches", []):
        for one in read(os.path.join(folder, patch["path"])):
            found[one["kind"]] = merged(found[one["kind"]], one)
    return found


def containerfile():
    """Its instructions, lines continued: [(word, rest)]."""
    with open(os.path.join(target.ROOT, "Containerfile"), encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if not line.startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def environment(container, known):
    """The variables of a container; `known` stands for secrets and fields of the platform: {"secret/key": value}."""
    out = {}
    for one in container.get("env", []):
        source = one.get("valueFrom", {})
        if "secretKeyRef" in source:
            out[one["name"]] = known["{name}/{key}".format(**source["secretKeyRef"])]
        elif "fieldRef" in source:
            out[one["name"]] = known[source["fieldRef"]["fieldPath"]]
        else:
            out[one["name"]] = one["value"]
    return out


def expanded(words, env):
    """$(NAME) as Kubernetes fills it in; an unknown one stays as it is, and is a fault here."""
    out = [re.sub(r"\$\((\w+)\)", lambda m: env[m.group(1)], word) for word in words]
    assert not any("$(" in word for word in out), out
    return out
