"""Decompression of Unix .Z files, which the standard library cannot read.

The one package that can, unlzw3, has no bound on what a file expands to and keeps one Python
integer for each byte of it: 32 MB of text take more than 250 MB.
"""

from __future__ import annotations

from data_fetch.errors import SourceError

MAGIC = b"\x1f\x9d"
CLEAR = 256


def decompress(data: bytes, limit: int | None = None) -> bytes:
    """Decompress the bytes of a .Z file (adaptive LZW), up to ``limit`` bytes.

    Codes stand in groups of eight of one width, least significant bit first. Where the width grows
    or the table is cleared, the rest of the group is padding.

    Raises
    ------
    SourceError
        If the bytes are not in this format, stop making sense, or expand to more.
    """
    if data[:2] != MAGIC or len(data) < 3:
        raise SourceError("not a Unix-compressed (.Z) file")
    max_bits, has_clear = data[2] & 0x1F, bool(data[2] & 0x80)
    if not 10 <= max_bits <= 16:
        raise SourceError(f"broken .Z file: codes of {max_bits} bits")
    start = [bytes([i]) for i in range(256)] + [b""] * has_clear
    table, previous, text = start.copy(), b"", bytearray()
    width, group = 9, 24
    bit = group
    while bit + width <= 8 * len(data):
        byte, shift = divmod(bit, 8)
        code = int.from_bytes(data[byte : byte + 3], "little") >> shift & ((1 << width) - 1)
        bit += width
        if cleared := code == CLEAR and has_clear:
            table, previous = start.copy(), b""
        elif code > len(table) or (code == len(table) and not previous):
            raise SourceError("broken .Z file: a code that was never defined")
        else:
            entry = table[code] if code < len(table) else previous + previous[:1]
            text += entry
            if limit is not None and len(text) > limit:
                raise SourceError(f"expands to more than {limit} bytes")
            if previous and len(table) < 1 << max_bits:
                table.append(previous + entry[:1])
            previous = entry
        if cleared or (len(table) == 1 << width and width < max_bits):
            bit += (group - bit) % (8 * width)
            group, width = bit, 9 if cleared else width + 1
    return bytes(text)
