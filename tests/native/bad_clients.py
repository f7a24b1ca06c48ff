# SPDX-License-Identifier: GPL-2.0-only
"""bad_clients.py PORT NR SEED: sends NR bad requests to a server on 127.0.0.1, and prints how many
of them got an answer, were closed by the server, or are still open. The requests are random bytes,
damaged requests, requests that never end, single bytes, headers of 1 MB, and requests with bodies.
Some clients close the connection instead of reading the answer."""

import random
import resource
import select
import socket
import struct
import sys
import time

GOOD = (b"GET /metrics HTTP/1.1\r\nHost: x\r\n"
        b"Accept: application/openmetrics-text;q=0.5,*/*;q=0.1\r\n"
        b"Accept-Encoding: gzip\r\nConnection: close\r\n\r\n")
MEGABYTE = b"x" * (1 << 20)


def noise(rng):
    return rng.randbytes(rng.randrange(1, 2000))


def damaged(rng):
    text = bytearray(GOOD)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(text))
        text[at:at + rng.randrange(4)] = rng.randbytes(rng.randrange(4))
    return bytes(text)


def half_open(rng):
    return GOOD[:rng.randrange(len(GOOD) - 4)]


def body(rng):
    size = rng.randrange(1 << 40)
    return b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size


def huge(_):
    return b"GET /metrics HTTP/1.1\r\nX: " + MEGABYTE


def rude(_):
    return GOOD


# how many of 20 requests are of each kind
KINDS = [noise] * 5 + [damaged] * 6 + [half_open] * 5 + [body] * 2 + [rude, huge]


def begin(port, kind, rng):
    """Sends a bad request as far as this is possible without waiting. Returns its socket."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.setblocking(False)
    text = kind(rng)
    slowly = len(text) < 100 and rng.randrange(2)
    try:
        for piece in [text[i:i + 1] for i in range(len(text))] if slowly else [text]:
            sock.send(piece)
    except OSError:
        pass
    if kind is rude:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()
    return sock


def fate(sock):
    """Returns the state of the connection: answered, closed or open."""
    if sock.fileno() < 0:
        return "closed"
    try:
        return "answered" if sock.recv(4096) else "closed"
    except BlockingIOError:
        return "open"
    except OSError:
        return "closed"


def main():
    port, nr, seed = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    rng = random.Random(seed)
    socks = [begin(port, KINDS[i % len(KINDS)], rng) for i in range(nr)]
    time.sleep(0.05)
    alive = [sock for sock in socks if sock.fileno() >= 0]
    select.select(alive, [], [], 0)
    fates = [fate(sock) for sock in socks]
    print(*(fates.count(word) for word in ("answered", "closed", "open")), flush=True)
    sys.stdin.read()  # the others stay open until the test has looked


main()
