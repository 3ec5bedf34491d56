#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a server on loopback as far away as one in the field: what it answers arrives later, as much of it as before.

    testbeds/assets/delay.py --port 9001 --to 9000 --delay 20ms

With --faults N every Nth connection goes wrong, in turn by a reset before anything was answered and by an end after
100 kB. "on" and "off" in --switch FILE say whether they happen now; without the file they do."""
import argparse
import asyncio
import itertools
import re

PIECE = 64 * 1024
CUT_AFTER = 100_000


def duration(text):
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", text)
    if parts is None:
        raise argparse.ArgumentTypeError(f'"{text}" is no duration such as 20ms')
    return float(parts[1]) / (1000 if parts[2] == "ms" else 1)


class Faults:
    def __init__(self, every, switch):
        self.every, self.switch, self.count, self.kinds = every, switch, 0, itertools.cycle(["reset", "cut"])

    def are_on(self):
        if self.switch is None:
            return True
        try:
            with open(self.switch, encoding="ascii") as f:
                return f.read().strip() == "on"
        except FileNotFoundError:
            return False

    def next(self):
        """Of the next connection: "reset", "cut", or None."""
        if self.every == 0 or not self.are_on():
            return None
        self.count += 1
        return next(self.kinds) if self.count % self.every == 0 else None


async def pass_on(source, sink, delay, limit=None):
    """Every piece leaves when it has been here for the delay; a few are on the way at once, as on a long line."""
    line, loop = asyncio.Queue(maxsize=256), asyncio.get_running_loop()

    async def take():
        while piece := await source.read(PIECE):
            await line.put((loop.time() + delay, piece))
        await line.put((loop.time() + delay, b""))

    taker = asyncio.ensure_future(take())
    try:
        while True:
            due, piece = await line.get()
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            if limit is not None:
                piece, limit = piece[:limit], limit - len(piece[:limit])
            if not piece:
                break
            sink.write(piece)
            await sink.drain()
    finally:
        taker.cancel()
        await asyncio.gather(taker, return_exceptions=True)


async def serve(o):
    faults = Faults(o.faults, o.switch)

    async def connection(client_in, client_out):
        fault = faults.next()
        server_out = None
        try:
            if fault == "reset":
                await client_in.read(1)
                return
            server_in, server_out = await asyncio.open_connection("127.0.0.1", o.to)
            ways = [asyncio.ensure_future(pass_on(client_in, server_out, 0)),
                    asyncio.ensure_future(pass_on(server_in, client_out, o.delay, CUT_AFTER if fault == "cut" else None))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if not ways[1].done():  # the client has said all; the answer may still come
                if server_out.can_write_eof():
                    server_out.write_eof()
                await asyncio.wait(ways[1:], timeout=60)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        except OSError:
            pass
        finally:
            if fault == "reset":
                client_out.transport.abort()
            for writer in (client_out, server_out):
                if writer is not None:
                    writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", o.port, backlog=1024)
    async with server:
        await server.serve_forever()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--to", type=int, required=True, help="port of the server")
    p.add_argument("--delay", type=duration, default=0.0, help="of everything that it answers (0s)")
    p.add_argument("--faults", type=int, default=0, help="every Nth connection goes wrong (0: none)")
    p.add_argument("--switch", help="a file that says \"on\" or \"off\"")
    try:
        asyncio.run(serve(p.parse_args()))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
