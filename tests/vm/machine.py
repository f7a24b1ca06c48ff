# SPDX-License-Identifier: GPL-2.0-only
"""The QEMU machines that guests run on."""

# The releases of Linux that the guests run. The last one is the newest kernel that Debian offers
# for its stable release.
KERNELS = ["6.1", "6.12", "7.3"]

# If QEMU 7.2 runs each CPU in a thread of its own (thread=multi), code that the guest's kernel
# patches can still run in its old form. An x86-64 guest can panic, and an arm64 guest can leave out
# a tracepoint: with two CPUs on a busy host, 5 of 1200 sessions counted 0 of 200 system calls, and
# with thread=single none of 1200.
SINGLE = ["-accel", "tcg,thread=single"]

# With -icount, each instruction takes 2^shift ns of guest time, independent of the host.
MACHINES = {
    "aarch64": {
        "qemu": ["qemu-system-aarch64", *SINGLE, "-M", "virt", "-cpu", "cortex-a57"],
        "console": "ttyAMA0",
        "shift": 1,
        "parameters": "",
    },
    "x86_64": {
        "qemu": ["qemu-system-x86_64", *SINGLE],
        "console": "ttyS0",
        "shift": 0,
        # On a busy host, the kernel can see too few interrupts while it checks its timer, and
        # panic.
        "parameters": "no_timer_check",
    },
}


def _cpu(options):
    """Disables cmpxchg16b in guests with two CPUs. A guest of QEMU 7.2 once panicked in the
    kernel's allocator right after this instruction: half of a pointer was in the place of the
    flags. Linux 6.19 and newer need the instruction for BPF task storage."""
    if options.arch != "x86_64":
        return []
    return ["-cpu", "max,-cx16" if options.cpus > 1 and options.kernel != KERNELS[-1] else "max"]


def command(options, kernel, initrd, directory):
    """Returns the command line of QEMU; `options` has arch, cpus, icount, parameters, verbose and
    suspend. The guest's console is QEMU's stdin and stdout; what the guest writes to its two ports
    goes to the files `output` and `status` in `directory`. With suspend, QEMU listens for commands
    on the socket `qmp` there."""
    machine = MACHINES[options.arch]
    argv = (
        machine["qemu"]
        + _cpu(options)
        + [
            "-smp",
            str(options.cpus),
            "-m",
            "1024",
            "-seed",
            "1",
            "-rtc",
            "base=2026-01-01,clock=vm",
        ]
    )
    if options.icount:
        argv += ["-icount", f"shift={machine['shift']},sleep=off"]
    argv += ["-nodefaults", "-nographic", "-serial", "stdio", "-monitor", "none"]
    if options.suspend:
        # Waking up resets the machine, and -no-reboot would make QEMU exit.
        argv += ["-qmp", f"unix:{directory}/qmp,server=on,wait=off"]
    else:
        argv += ["-no-reboot"]
    # Without ioeventfd, the guest waits while the host reads the data of a port, so time stays
    # exact.
    argv += ["-device", "virtio-serial-pci,ioeventfd=off"]
    for number, port in enumerate(("output", "status"), start=1):
        argv += ["-chardev", f"file,id={port},path={directory}/{port}"]
        argv += ["-device", f"virtserialport,chardev={port},nr={number},name={port}"]
    argv += ["-kernel", kernel, "-initrd", initrd]
    loglevel = "ignore_loglevel" if options.verbose else "quiet"
    argv += [
        "-append",
        f"console={machine['console']} {loglevel} panic=-1 nokaslr {machine['parameters']} "
        f"{options.parameters}"
    ]
    return argv
