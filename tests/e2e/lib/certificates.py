# SPDX-License-Identifier: GPL-3.0-or-later
"""An authority of our own and certificates by it, made with openssl for one test session."""
import os
import subprocess

SUBJECT_NAMES = "DNS:localhost,DNS:a.test,DNS:b.test,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"


def _openssl(*argv):
    subprocess.run(["openssl", *argv], check=True, timeout=60, capture_output=True)


class Authority:
    def __init__(self, folder):
        self.folder = str(folder)
        self.ca, self._ca_key = self._path("ca.pem"), self._path("ca.key")
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self._ca_key, "-out", self.ca,
                 "-days", "2", "-subj", "/CN=Plimsoll test authority", "-addext", "basicConstraints=critical,CA:TRUE")
        self.cert, self.key, self.both = self.issue("server", SUBJECT_NAMES)

    def _path(self, name):
        return os.path.join(self.folder, name)

    def issue(self, name, names, days="2"):
        """(certificate, key, both in one file); days may be negative: expired."""
        key, request, cert, ext, both = (self._path(f"{name}.{end}") for end in ("key", "csr", "pem", "ext", "both.pem"))
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        with open(ext, "w") as file:
            file.write(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
        _openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self._ca_key, "-CAcreateserial", "-days", days, "-extfile", ext,
                 "-out", cert)
        with open(both, "w") as out:
            for part in (cert, key):
                with open(part) as file:
                    out.write(file.read())
        return cert, key, both
