# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS Signature Version 4 as the receiving side sees it, after Amazon's description and independent of what is tested: s3rver does not look at
these signatures."""
import datetime
import hashlib
import hmac
import re
from urllib.parse import quote, unquote


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def _signature(secret, time, scope, canonical):
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    text = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    return _hmac(key, text).hex()


def _canonical(method, path, query, fields, signed, payload):
    path = "/".join(quote(unquote(part), safe="-._~") for part in path.split("/"))
    query = "&".join(f"{quote(k, safe='-._~')}={quote(v, safe='-._~')}" for k, v in sorted(query))
    lines = [f"{name}:{' '.join(fields[name].split())}\n" for name in signed]
    return "\n".join([method, path, query, "".join(lines), ";".join(signed), payload])


class Request:
    """Of a head's bytes."""

    def __init__(self, head):
        line, *fields = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        self.method, target, _ = line.split(" ")
        self.path, _, query = target.partition("?")
        self.query = [tuple(unquote(part) for part in (pair + "=").split("=")[:2]) for pair in query.split("&") if pair]
        self.fields = {name.strip().lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        self.length = int(self.fields.get("content-length", 0))

    def fault(self, key_id, secret):
        """Why the request is not to be believed; None when it is."""
        parameters = dict(self.query)
        if "X-Amz-Signature" in parameters:
            return self._fault_of_query(parameters, key_id, secret)
        match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})", self.fields.get("authorization", ""))
        if not match:
            return "AccessDenied"
        key, scope, signed, signature = match.groups()
        signed = signed.split(";")
        must = {"host"} | {name for name in self.fields if name.startswith("x-amz-")}
        if key != key_id or signed != sorted(signed) or not must <= set(signed) or any(name not in self.fields for name in signed):
            return "SignatureDoesNotMatch"
        canonical = _canonical(self.method, self.path, self.query, self.fields, signed, self.fields["x-amz-content-sha256"])
        return None if _signature(secret, self.fields["x-amz-date"], scope, canonical) == signature else "SignatureDoesNotMatch"

    def _fault_of_query(self, parameters, key_id, secret):
        key, _, scope = parameters["X-Amz-Credential"].partition("/")
        made = datetime.datetime.strptime(parameters["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        age = (datetime.datetime.now(datetime.timezone.utc) - made).total_seconds()
        if not -60 < age < int(parameters["X-Amz-Expires"]):
            return "AccessDenied"
        rest = [pair for pair in self.query if pair[0] != "X-Amz-Signature"]
        signed = parameters["X-Amz-SignedHeaders"].split(";")
        canonical = _canonical(self.method, self.path, rest, self.fields, signed, "UNSIGNED-PAYLOAD")
        good = key == key_id and _signature(secret, parameters["X-Amz-Date"], scope, canonical) == parameters["X-Amz-Signature"]
        return None if good else "SignatureDoesNotMatch"
