"""Decompression of Unix .Z files, which the standard library cannot read.

The one package that can, unlzw3, has no bound on what a file expands to and keeps one Python
integer for each byte of it: 32 MB of text take more than 250 MB.
"""

from __future__ import annotations

from collections.abc import Iterator

from data_fetch.errors import SourceError

MAGIC = b"\x1f\x9d"
CLEAR = 256


class _CodeReader:
    """Codes of a growing width, least significant bit first.

    They are written in groups of eight; where the width changes or the dictionary is cleared,
    the rest of the group is padding.
    """

    def __init__(self, data: bytes, start: int):
        self.data = data
        self.width = 9
        self.bit = self.group = 8 * start

    def set_width(self, width: int) -> None:
        group_bits = 8 * self.width
        self.bit += (self.group - self.bit) % group_bits
        self.group = self.bit
        self.width = width

    def read(self) -> int | None:
        if self.bit + self.width > 8 * len(self.data):
            return None
        byte, shift = divmod(self.bit, 8)
        self.bit += self.width
        window = int.from_bytes(self.data[byte : byte + 3], "little")
        return window >> shift & ((1 << self.width) - 1)


def _strings(data: bytes) -> Iterator[bytes]:
    max_bits, block_mode = data[2] & 0x1F, bool(data[2] & 0x80)
    if not 10 <= max_bits <= 16:
        raise SourceError(f"broken .Z file: codes of {max_bits} bits")
    start = [bytes([i]) for i in range(256)] + [b""] * block_mode
    table, previous = start.copy(), b""
    reader = _CodeReader(data, start=3)
    while (code := reader.read()) is not None:
        if code == CLEAR and block_mode:
            reader.set_width(9)
            table, previous = start.copy(), b""
            continue
        if code > len(table) or (code == len(table) and not previous):
            raise SourceError("broken .Z file: a code that was never defined")
        entry = table[code] if code < len(table) else previous + previous[:1]
        yield entry
        if previous and len(table) < 1 << max_bits:
            table.append(previous + entry[:1])
        previous = entry
        if len(table) == 1 << reader.width and reader.width < max_bits:
            reader.set_width(reader.width + 1)


def decompress(data: bytes, limit: int | None = None) -> bytes:
    """Decompress the bytes of a .Z file (adaptive LZW), up to ``limit`` bytes.

    Raises
    ------
    SourceError
        If the bytes are not in this format, stop making sense, or expand to more.
    """
    if data[:2] != MAGIC or len(data) < 3:
        raise SourceError("not a Unix-compressed (.Z) file")
    text = bytearray()
    for string in _strings(data):
        text += string
        if limit is not None and len(text) > limit:
            raise SourceError(f"expands to more than {limit} bytes")
    return bytes(text)
