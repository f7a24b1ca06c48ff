# SPDX-License-Identifier: GPL-2.0-only
"""ELF programs that loop forever and contain tables that no compiler makes. A local user can make
them, and root's pstat profile then reads them."""

import os
import platform
import struct
import zlib

BASE = 0x400000
# a branch to itself
LOOP = {"x86_64": (62, b"\xeb\xfe"), "aarch64": (183, b"\x00\x00\x00\x14")}
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB = 1, 2, 3
SHF_ALLOC_EXEC, SHF_COMPRESSED = 6, 0x800
SYMBOL = struct.Struct("<IBBHQQ")


class Section:
    def __init__(self, name, kind, data, *, flags=0, address=0, link=0, entry=0, size=None):
        self.name, self.kind, self.data, self.flags = name, kind, data, flags
        self.address, self.link, self.entry = address, link, entry
        # larger than the data, so the end of the file is sparse
        self.size = len(data) if size is None else size


def symbol(name, address=BASE + 0x100, size=16, section=1):
    return SYMBOL.pack(name, 0x12, 0, section, address, size)  # a global function


def compressed(data_size, pattern):
    """Returns a section in SHF_COMPRESSED form, with `data_size` bytes of a repeated pattern."""
    packer, left, out = zlib.compressobj(9), data_size, []
    while left:
        part = min(left, 1 << 22)
        out.append(packer.compress(pattern * part))
        left -= part
    return struct.pack("<IIQQ", 1, 0, data_size, 1) + b"".join(out) + packer.flush()


def write(path, symbols, names, *, symbols_size=None, more=(), sections=None):
    """Writes the program, whose only code is at BASE + 0x100. The program begins in the middle of
    its function, because pstat does not count a function at which a program begins. `sections` is
    the number of sections that the header claims to have."""
    machine, loop = LOOP[platform.machine()]
    code = loop.ljust(8, b"\0") * 2
    table = [
        Section("", 0, b""),
        Section(".text", SHT_PROGBITS, code, flags=SHF_ALLOC_EXEC, address=BASE + 0x100),
        Section(".symtab", SHT_SYMTAB,
                SYMBOL.pack(0, 0, 0, 0, 0, 0) + symbols, link=3, entry=24, size=symbols_size),
        Section(".strtab", SHT_STRTAB, names), *more
    ]
    shown = b"\0" + b"".join(section.name.encode() + b"\0"
                             for section in [*table, Section(".shstrtab", 0, b"")])
    table.append(Section(".shstrtab", SHT_STRTAB, shown))
    headers, at = [], 0x100
    with open(path, "wb") as file:
        for section in table:
            where = at if section.kind else 0
            file.seek(where or 64)
            file.write(section.data)
            name = shown.index(b"\0" + section.name.encode() + b"\0") + 1 if section.name else 0
            headers.append([
                name, section.kind, section.flags, section.address, where, section.size,
                section.link, 1, 1, section.entry
            ])
            at = (at + section.size + 15) // 16 * 16 if section.kind else at
        if sections:
            headers[0][5] = sections
        file.seek(at)
        file.write(b"".join(struct.pack("<IIQQQQIIQQ", *header) for header in headers))
        if sections:
            file.truncate(at + 64 * sections)
        file.seek(0)
        file.write(b"\x7fELF\x02\x01\x01".ljust(16, b"\0") +
                   struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, BASE +
                               0x108, 64, at, 0, 64, 56, 1, 64, 0 if sections else len(headers),
                               len(headers) - 1))
        file.write(struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, 0x110, 0x110, 0x1000))
    os.chmod(path, 0o755)


def lines(program_size, pattern):
    """Returns the compressed DWARF of one unit, whose line program has `program_size` bytes of a
    repeated pattern."""
    abbrev = bytes((1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0, 0))
    body = struct.pack("<HIBBIQQ", 4, 0, 8, 1, 0, BASE + 0x100, 16)
    info = struct.pack("<I", len(body)) + body
    header = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + bytes(
        (0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)) + b"\0x.c\0\0\0\0\0"
    start = struct.pack("<HI", 4, len(header)) + header
    whole = struct.pack("<I", len(start) + program_size) + start
    packer = zlib.compressobj(9)
    packed, left = [packer.compress(whole)], program_size
    while left:
        part = min(left, 1 << 22)
        packed.append(packer.compress(pattern * part))
        left -= part
    line = struct.pack("<IIQQ", 1, 0,
                       len(whole) + program_size, 1) + b"".join(packed) + packer.flush()
    return [
        Section(".debug_abbrev", SHT_PROGBITS, abbrev),
        Section(".debug_info", SHT_PROGBITS, info),
        Section(".debug_line", SHT_PROGBITS, line, flags=SHF_COMPRESSED),
    ]


def inlined(count):
    """Returns the DWARF of one unit, in which a function is inlined `count` times."""
    unit, function, copy = 1, 2, 3
    # tag, has children; attribute, form; ...; end
    abbrevs = bytes((unit, 0x11, 1, 0x11, 0x01, 0x12, 0x07, 0, 0,
                     function, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0,
                     copy, 0x1d, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x0b, 0, 0, 0))
    body = struct.pack("<HIBBQQ", 4, 0, 8, unit, BASE + 0x100, 16)
    body += bytes((function,)) + b"victim\0" + struct.pack("<QQ", BASE + 0x100, 16)
    body += (bytes((copy,)) + b"copy\0" + struct.pack("<QB", BASE + 0x100, 16)) * count + b"\0\0"
    info = struct.pack("<I", len(body)) + body
    return [
        Section(".debug_abbrev", SHT_PROGBITS, abbrevs),
        Section(".debug_info", SHT_PROGBITS,
                struct.pack("<IIQQ", 1, 0, len(info), 1) + zlib.compress(info),
                flags=SHF_COMPRESSED),
        Section(".debug_line", SHT_PROGBITS, b""),
    ]
