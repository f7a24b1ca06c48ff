# SPDX-License-Identifier: GPL-2.0-only
"""Controls a guest that suspends itself to memory, through QEMU's machine protocol (QMP)."""

import json
import os
import socket
import time

ASLEEP = 1.0  # s


def _connect(path, qemu):
    """Returns a connection to QEMU, or None if QEMU ended."""
    while qemu.poll() is None:
        if os.path.exists(path):
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                return connection
            except ConnectionRefusedError:
                connection.close()
        time.sleep(0.02)
    return None


def attend(path, qemu):
    """Wakes the guest up ASLEEP seconds after it suspended itself, and ends QEMU when the guest
    reboots. `path` is the socket on which QEMU, a subprocess.Popen, listens."""
    connection = _connect(path, qemu)
    if not connection:
        return
    with connection, connection.makefile("rw") as stream:

        def command(name):
            stream.write(json.dumps({"execute": name}) + "\n")
            stream.flush()

        command("qmp_capabilities")
        woken = False
        try:
            for line in stream:
                event = json.loads(line).get("event")
                if event == "SUSPEND":
                    time.sleep(ASLEEP)
                    command("system_wakeup")
                elif event == "WAKEUP":
                    woken = True
                elif event == "RESET":
                    # waking up also resets the machine
                    if not woken:
                        command("quit")
                    woken = False
        except OSError:  # QEMU ended
            pass
