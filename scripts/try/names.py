#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A name server for a network of its own, at 127.0.0.1: every name that ends in .test is 127.0.0.1, all others are unknown."""
import socket
import struct


def answer(query):
    end, labels = 12, []
    while query[end]:
        labels.append(query[end + 1:end + 1 + query[end]])
        end += query[end] + 1
    kind = struct.unpack(">H", query[end + 1:end + 3])[0]
    known = labels[-1:] == [b"test"]
    found = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 5, 4) + bytes([127, 0, 0, 1]) if known and kind == 1 else b""
    return query[:2] + struct.pack(">HHHHH", 0x8580 if known else 0x8583, 1, 1 if found else 0, 0, 0) + query[12:end + 5] + found


def main():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 53))
        while True:
            query, client = s.recvfrom(512)
            s.sendto(answer(query), client)


if __name__ == "__main__":
    main()
