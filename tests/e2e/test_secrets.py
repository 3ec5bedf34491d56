# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets never leave: each way to give one, looked for in every output; and the target must have got it."""
import base64

import pytest

from lib.process import run as run_process
from lib.target import OK, reply

# Unlikely words, so that finding one is a leak and nothing else.
PASSWORD, TOKEN, COOKIE, KEY, SIGNATURE, PROXY = ("Zq7Passwd", "Zq7Bearer", "Zq7Cookie", "Zq7ApiKey", "Zq7Sign", "Zq7Proxy")
SET_COOKIE, BODY = "Zq7SetCookie", "Zq7InReply"
BASIC = base64.b64encode(f"alice:{PASSWORD}".encode()).decode()

WAYS = {
    "user option": (["-u", f"alice:{PASSWORD}"], "{url}", PASSWORD, f"Authorization: Basic {BASIC}"),
    "user option in one word": ([f"--user=alice:{PASSWORD}"], "{url}", PASSWORD, f"Authorization: Basic {BASIC}"),
    "short option in one word": ([f"-ualice:{PASSWORD}"], "{url}", PASSWORD, f"Authorization: Basic {BASIC}"),
    "user in the URL": ([], "{user_url}", PASSWORD, f"Authorization: Basic {BASIC}"),
    "bearer": (["--auth-bearer", TOKEN], "{url}", TOKEN, f"Authorization: Bearer {TOKEN}"),
    "bearer in one word": ([f"--auth-bearer={TOKEN}"], "{url}", TOKEN, f"Authorization: Bearer {TOKEN}"),
    "bearer from a file": (["--auth-bearer", "@{token_file}"], "{url}", TOKEN, f"Authorization: Bearer {TOKEN}"),
    "bearer from the environment": (["--auth-bearer", "env:MY_TOKEN"], "{url}", TOKEN, f"Authorization: Bearer {TOKEN}"),
    "header Authorization": (["-H", f"authorization: Token {TOKEN}"], "{url}", TOKEN, f"authorization: Token {TOKEN}"),
    "header in one word": ([f"-HAuthorization: Token {TOKEN}"], "{url}", TOKEN, f"Authorization: Token {TOKEN}"),
    "header by long option": ([f"--header=Authorization: Token {TOKEN}"], "{url}", TOKEN, f"Authorization: Token {TOKEN}"),
    "header Proxy-Authorization": (["-H", f"Proxy-Authorization: Basic {PROXY}"], "{url}", PROXY, PROXY),
    "header Cookie": (["-H", f"Cookie: a=b; session={COOKIE}"], "{url}", COOKIE, COOKIE),
    "header X-Api-Key": (["-H", f"X-Api-Key: {KEY}"], "{url}", KEY, KEY),
    "signed query": ([], "{url}?X-Amz-Credential=" + KEY + "&X-Amz-Signature=" + SIGNATURE + "&x=1", SIGNATURE, f"X-Amz-Signature={SIGNATURE}"),
    "token in the query": ([], "{url}?a=1&token=" + TOKEN, TOKEN, f"token={TOKEN}"),
    "key in the query": ([], "{url}?key=" + KEY + "&b=2", KEY, f"key={KEY}"),
    "key in mixed case": ([], "{url}?Api_Key=" + KEY, KEY, f"Api_Key={KEY}"),
}


def everything_written(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.name, path.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("outcome", ["ok", "failing"])
def test_no_output_shows_it(load, plimsoll, start_target, tmp_path, way, outcome):
    options, url, secret, sent = WAYS[way]
    token_file, out = tmp_path / "token", tmp_path / "out"
    token_file.write_text(TOKEN + "\n")
    out.mkdir()
    record = tmp_path / "record"
    target = start_target(OK if outcome == "ok" else reply("500 Oops", fields=[f"Set-Cookie: id={SET_COOKIE}; Path=/"]), record=record)
    plain = target.url("/x")
    url = url.format(url=plain, user_url=plain.replace("://", f"://alice:{PASSWORD}@"))
    argv = [plimsoll, "load", "--no-store", "-c", "2", "-n", "20", "--json", out / "json", "--csv", out / "csv", "--log", out / "log",
            "--hdr", out / "hdr", "--save-failures", f"{out}/failures:3", "--progress", "json",
            *[option.format(token_file=token_file) for option in options], url]
    done = run_process(argv, 30, env={"MY_TOKEN": TOKEN})
    assert done.exit == (0 if outcome == "ok" else 3), done
    asked = record.read_bytes().decode()
    assert asked.count(sent) == 20, "the target must get it"
    (out / "stdout").write_text(done.out)
    (out / "stderr").write_text(done.err)
    for name, text in everything_written(out):
        for word in (secret, BASIC, SET_COOKIE):
            assert word not in text, f"{name} shows {word}: …{text[max(0, text.find(word) - 200):text.find(word) + 40]}…"
    assert "***" in (out / "json").read_text() or way in ("bearer from a file", "bearer from the environment"), "where it stood"


@pytest.mark.parametrize("way", WAYS)
def test_dry_run_and_refusals_do_not_show_it(load, plimsoll, start_target, tmp_path, way):
    options, url, secret, _ = WAYS[way]
    token_file = tmp_path / "token"
    token_file.write_text(TOKEN + "\n")
    target = start_target(OK)
    plain = target.url("/x")
    url = url.format(url=plain, user_url=plain.replace("://", f"://alice:{PASSWORD}@"))
    argv = [plimsoll, "load", "--no-store", *[option.format(token_file=token_file) for option in options]]
    for more in (["--dry-run", url], ["--no-such-option", url], [url.replace("http://", "ftp://")], ["-c", "0", url],
                 [url.replace(f":{target.port}", ":0")], [url.replace("127.0.0.1", "no-such-host.invalid")], [url + " x"]):
        done = run_process([*argv, *more], 60, env={"MY_TOKEN": TOKEN})
        assert done.exit == (0 if more[0] == "--dry-run" else 2), done
        for word in (secret, BASIC):
            assert word not in done.out + done.err, f"{more[:1]}: {done.out}{done.err}"


def test_refused_header_does_not_show_its_secret(plimsoll):
    done = run_process([plimsoll, "load", "-H", f"Authorization: Bearer {TOKEN}\r\nX: y", "http://127.0.0.1:1/"], 20)
    assert done.exit == 2 and TOKEN not in done.err and "Authorization" in done.err


def test_set_cookie_of_every_kind_of_failure(load, start_target, tmp_path):
    """Malformed and cut replies are shown too, and hold secrets as well."""
    head = rf"HTTP/1.1 200 OK\r\nSet-Cookie: id={SET_COOKIE}\r\nContent-Length: 100\r\n"
    target = start_target(head + r"\r\nshort\{fin}", head + r"bad line\r\n\r\n\{fin}", head + r"Set-Cookie: x=" + SET_COOKIE + r"\{fin}",
                          rf"HTTP/1.1 302 Found\r\nLocation: http://h/?token={SET_COOKIE}\r\nContent-Length: 0\r\n\r\n", when=["pick=0123"])
    run = load("-c", "1", "-n", "40", "--expect-status", "200", "--save-failures", f"{tmp_path}/failures:40", target.url(), server=target)
    assert run.totals["failed"] == 40 and len(list((tmp_path / "failures").glob("*.http"))) == 40
    assert SET_COOKIE not in run.out + run.err
    for name, text in everything_written(tmp_path / "failures"):
        assert SET_COOKIE not in text, (name, text)


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_sends_them_back(load, plimsoll, start_target, tmp_path, way):
    """In an error page and in a header of any name, as it came and as what its base64 stands for."""
    options, url, secret, _ = WAYS[way]
    token_file = tmp_path / "token"
    token_file.write_text(TOKEN + "\n")
    out = tmp_path / "out"
    target = start_target(reply("500 Oops", fields=[f"X-Debug: got {BASIC} and {secret}!"], body=f"<p>{secret}</p><p>alice:{PASSWORD}, {BASIC}</p>"))
    plain = target.url("/x")
    url = url.format(url=plain, user_url=plain.replace("://", f"://alice:{PASSWORD}@"))
    done = run_process([plimsoll, "load", "--no-store", "-c", "1", "-n", "3", "--json", "-", "--save-failures", f"{out}:3",
                        *[option.format(token_file=token_file) for option in options], url], 30, env={"MY_TOKEN": TOKEN})
    assert done.exit == 3 and "X-Debug: got" in done.out, done
    words = [secret] + ([BASIC] if BASIC in WAYS[way][3] else [])
    for name, text in [("out", done.out), ("err", done.err), *everything_written(out)]:
        assert not any(word in text for word in words), (name, text)


def sent_back(plimsoll, target, tmp_path, *options):
    """What is written of a run whose target answers with an error page made before."""
    out = tmp_path / "out"
    done = run_process([plimsoll, "load", "--no-store", "-c", "1", "-n", "3", "--json", "-", "--save-failures", f"{out}:3", *options], 30)
    assert done.exit == 3 and "X-Debug: got" in done.out, done
    return [("out", done.out), ("err", done.err), *everything_written(out)]


def test_a_server_that_sends_secrets_of_a_feed_back(plimsoll, start_target, tmp_path):
    feed = tmp_path / "feed.csv"
    feed.write_text(f"token,name,pw\n{TOKEN},alice,{PASSWORD}\n")
    target = start_target(reply("500 Oops", fields=[f"X-Debug: got {TOKEN} of alice"], body=f"<p>{PASSWORD} {TOKEN}</p>"))
    for name, text in sent_back(plimsoll, target, tmp_path, "--feed", feed, "-H", "Authorization: Bearer {token}", "-H", "X-Name: {name}",
                                "--body", '{"user": "{name}", "password": "{pw}"}', target.url("/x")):
        assert TOKEN not in text and PASSWORD not in text, (name, text)
        assert name != "out" or "got *** of alice" in text


def test_a_server_that_sends_its_cookies_back(plimsoll, start_target, tmp_path):
    target = start_target(reply("500 Oops", fields=[f"Set-Cookie: session={COOKIE}", f"X-Debug: got session {COOKIE}"], body=f"<p>{COOKIE}</p>"))
    written = sent_back(plimsoll, target, tmp_path, "--cookies", target.url("/x"))
    later = [text for name, text in written if name in ("failure-002.http", "failure-003.http")]
    assert len(later) == 2 and all(COOKIE not in text and "***" in text for text in later), later


def test_a_server_that_sends_a_body_back(plimsoll, start_target, tmp_path):
    target = start_target(reply("500 Oops", fields=[f"X-Debug: got {PASSWORD}"], body=f"<p>{PASSWORD}</p>"))
    for options in (["--body", f"user=alice&password={PASSWORD}"], ["--form", f"password={PASSWORD}"]):
        for name, text in sent_back(plimsoll, target, tmp_path, *options, target.url("/x")):
            assert PASSWORD not in text, (options, name, text)


def test_what_ab_shows_of_replies(plimsoll, start_target):
    target = start_target(reply("200 OK", fields=[f"X-Debug: got {BASIC} {COOKIE}"], body=f"<p>alice:{PASSWORD} {COOKIE}</p>"))
    done = run_process([plimsoll, "ab", "-v", "4", "-n", "2", "-A", f"alice:{PASSWORD}", "-C", f"session={COOKIE}", target.url("/x")], 30)
    assert done.exit == 0 and "X-Debug: got *** ***" in done.out and "<p>*** ***</p>" in done.out, done
    assert not any(word in done.out + done.err for word in (PASSWORD, BASIC, COOKIE)), done


def test_names_and_labels_may_hold_urls(plimsoll, start_target, tmp_path):
    target, url = start_target(OK), f"http://alice:{PASSWORD}@h/?token={TOKEN}"
    done = run_process([plimsoll, "load", "--no-store", "-n", "2", "-c", "1", "--json", tmp_path / "json", "--csv", tmp_path / "csv",
                        "--name", url, "--label", f"key={url}", "--label", "key2=plain", target.url()], 30)
    assert done.exit == 0, done
    written = done.out + done.err + (tmp_path / "json").read_text() + (tmp_path / "csv").read_text()
    assert PASSWORD not in written and TOKEN not in written
    assert '"key": "http://***@h/?token=***"' in written and '"key2": "plain"' in written


COMMANDS = {
    "in a script": ["--shell", "--", f"true -u alice:{PASSWORD} | cat"],
    "in a quoted line": [f"true -u alice:{PASSWORD}"],
    "a field in a script": ["--shell", "--", f"true -sH 'X-Api-Key: {PASSWORD}'"],
    "an option": ["--", "true", "--password", PASSWORD],
    "a variable": ["--shell", "--", f"PGPASSWORD={PASSWORD} true"],
    "a script of a shell": ["--", "sh", "-c", f"true --token '{PASSWORD}'"],
    "setup": ["--setup", f"true -u alice:{PASSWORD}", "--", "true"],
    "cleanup": [f"--cleanup=true -u alice:{PASSWORD}", "--", "true"],
    "compare": ["--compare", f"true -u alice:{PASSWORD}", "--", "true"],
}


ECHOED = {
    "an option": ["--", "sh", "-c", 'echo "cannot log in with $1, $PASSWORD"; exit 1', "--password", PASSWORD],
    "-p": ["--", "sh", "-c", 'echo "cannot log in with $1, $PASSWORD"; exit 1', "-p", PASSWORD],
    "a script": ["--shell", "--", f"true -u alice:{PASSWORD}; echo cannot log in with {PASSWORD} >&2; false"],
    "setup": ["--setup", f"sh -c 'echo cannot log in with $1; exit 1' --password {PASSWORD}", "--", "true"],
    "environment": ["--env", f"MY_PASSWORD={PASSWORD}", "--", "sh", "-c", "echo cannot log in with $MY_PASSWORD; false"],
}


@pytest.mark.parametrize("way", ECHOED)
def test_commands_that_say_it_when_they_fail(plimsoll, tmp_path, way):
    done = run_process([plimsoll, "rounds", "--no-store", "--json", tmp_path / "json", "--csv", tmp_path / "csv", *ECHOED[way]], 30)
    assert done.exit == 3 and "cannot log in with ***" in done.out, done
    for text in (done.out, done.err, (tmp_path / "json").read_text(), (tmp_path / "csv").read_text()):
        assert PASSWORD not in text, text


@pytest.mark.parametrize("way", COMMANDS)
def test_commands_of_rounds_do_not_show_it(plimsoll, tmp_path, way):
    done = run_process([plimsoll, "rounds", "--no-store", "--json", tmp_path / "json", "--csv", tmp_path / "csv", *COMMANDS[way]], 30)
    assert done.exit == 0, done
    for text in (done.out, done.err, (tmp_path / "json").read_text(), (tmp_path / "csv").read_text()):
        assert PASSWORD not in text, text
    assert "***" in (tmp_path / "json").read_text()


def test_parameters_of_suites_do_not_show_it(plimsoll, tmp_path):
    suite = tmp_path / "s.yaml"
    suite.write_text(f"name: s\nparameters: {{API_TOKEN: {TOKEN}, password: x}}\ncommand: 'true'\n")
    done = run_process([plimsoll, "run", "--dry-run", suite, "-s", f"password={PASSWORD}"], 30)
    assert done.exit == 0, done
    assert PASSWORD not in done.out + done.err and TOKEN not in done.out + done.err and "password = ***" in done.out
