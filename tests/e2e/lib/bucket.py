# SPDX-License-Identifier: GPL-3.0-or-later
"""A target whose capacity is known: a token bucket. A request that finds no token waits for its own, in line."""
import asyncio
import os
import subprocess
import sys

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Bucket:
    def __init__(self, rate, burst):
        self.rate, self.burst, self.next = rate, burst, 0.0

    def take(self, now):
        """The moment at which this request has its token."""
        self.next = max(self.next + 1 / self.rate, now - self.burst / self.rate)
        return self.next


class Connection(asyncio.Protocol):
    def __init__(self, bucket):
        self.bucket, self.loop, self.read = bucket, asyncio.get_running_loop(), b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.read += data
        while b"\r\n\r\n" in self.read:
            self.read = self.read.split(b"\r\n\r\n", 1)[1]
            now = self.loop.time()
            at = self.bucket.take(now)
            if at <= now:
                self.transport.write(REPLY)
            else:
                self.loop.call_at(at, self.transport.write, REPLY)


async def serve(rate, burst):
    bucket = Bucket(rate, burst)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(bucket), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class BucketTarget:
    def __init__(self, rate, burst=10):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), str(rate), str(burst)], stdout=subprocess.PIPE)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/"

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), float(sys.argv[2])))
