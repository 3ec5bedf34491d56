# SPDX-License-Identifier: GPL-3.0-or-later
"""How each client is asked for the same thing. A client that can not do it returns None."""
import lab

# ab keeps a table of this many rows; no run of a few seconds reaches it.
AB_ROWS = "3000000"


class Load:
    """What a cell offers: connections, seconds, a connection for ever or one per request, TLS or not, resumed or not; streams: so many
    on each connection, over HTTP/2 without TLS."""

    def __init__(self, connections, seconds, close=False, tls=False, resume=False, streams=0):
        self.connections, self.seconds, self.close, self.tls = connections, seconds, close, tls
        self.resume, self.streams = resume, streams


def plimsoll(load, url):
    args = [lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", str(load.connections), "-d", f"{load.seconds}s"]
    if load.close:
        args += ["--requests-per-connection", "1"]
    if load.tls:
        args += ["-k", "--tls-resume", "on" if load.resume else "off"]
    if load.streams:
        args += ["--h2c", "--streams", str(load.streams)]
    return args + [url]


def ab_options(load, url):
    keep_alive = [] if load.close else ["-k"]
    return ["-q", "-r"] + keep_alive + ["-c", str(load.connections), "-t", str(load.seconds), "-n", AB_ROWS, url]


def ab(load, url):
    return ["ab"] + ab_options(load, url)


def plimsoll_ab(load, url):
    return [lab.PLIMSOLL, "ab"] + ab_options(load, url)


def wrk(load, url):
    close = ["-H", "Connection: close"] if load.close else []
    return ["wrk", "-t", "1", "-c", str(load.connections), "-d", f"{load.seconds}s"] + close + [url]


def h2load(load, url):
    if load.close:
        return None
    version = ["-m", str(load.streams)] if load.streams else ["--h1"]
    return ["h2load"] + version + ["-t", "1", "-c", str(load.connections), "-D", str(load.seconds), url]


def hey(load, url):
    close = ["-disable-keepalive"] if load.close else []
    return ["hey", "-cpus", "1", "-c", str(load.connections), "-z", f"{load.seconds}s"] + close + [url]


CLIENTS = {"plimsoll": plimsoll, "plimsoll ab": plimsoll_ab, "ab": ab, "wrk": wrk, "h2load": h2load, "hey": hey}


def available(name):
    return lab.have(name) if not name.startswith("plimsoll") else lab.have(lab.PLIMSOLL)
