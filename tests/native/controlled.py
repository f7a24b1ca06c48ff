# SPDX-License-Identifier: GPL-2.0-only
"""A pstat process that tests enable and disable through --control."""

import os
import select
import subprocess

from native import PATIENCE, end, start


class Controlled:
    """Runs a pstat that obeys --control commands, through two pipes or through named pipes. The
    end of the `with` block ends pstat."""

    ACK = b"ack\n\0"

    def __init__(self, *args, fifos=None):
        if fifos:
            for path in fifos:
                os.mkfifo(path)
            to, back = (os.open(path, os.O_RDWR) for path in fifos)
            text, keep = "fifo:" + ",".join(fifos), ()
        else:
            theirs, to = os.pipe()
            back, answers = os.pipe()
            text, keep = f"fd:{theirs},{answers}", (theirs, answers)
        self.to, self.back = open(to, "wb", buffering=0), open(back, "rb", buffering=0)
        self.process = start("--control", text, *args, pass_fds=keep)
        for fd in keep:
            os.close(fd)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.kill_all()
        end(self.process)
        self.to.close()
        self.back.close()

    def send(self, text):
        self.to.write(text.encode())

    def answer(self):
        """Waits for the answer to a command."""
        readable, _, _ = select.select([self.back], [], [], PATIENCE)
        assert readable, "waited in vain for an answer to a command"
        said = self.back.read(len(self.ACK))
        assert said == self.ACK, said

    def ask(self, word):
        """Sends a command and waits for its answer."""
        self.send(word + "\n")
        self.answer()

    def end(self):
        """Waits until pstat ends, which must happen soon, and returns its output."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, err)
