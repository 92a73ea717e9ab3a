"""Unix compress by definition: a string of 0 and 1 first, bytes at the end."""

from __future__ import annotations


def compress(text: bytes, max_bits: int = 16, clear_every: int = 0) -> bytes:
    """LZW codes of 9 bits and more, in groups of eight, padded where the width changes.

    The dictionary is cleared after every ``clear_every`` codes (never, if 0).
    """
    out, group, n_codes = "", "", 0
    table = {bytes([i]): i for i in range(256)}
    free, width = 257, 9

    def emit(code):
        nonlocal group
        group += format(code, f"0{width}b")[::-1]

    def end_group():
        nonlocal out, group
        out += group + "0" * (-len(group) % (8 * width)) if group else ""
        group = ""

    current = b""
    for byte in text:
        letter = bytes([byte])
        if current + letter in table:
            current += letter
            continue
        emit(table[current])
        if free > (1 << width) - 1 and width < max_bits:
            end_group()
            width += 1
        if free < 1 << max_bits:
            table[current + letter] = free
            free += 1
        n_codes += 1
        if clear_every and n_codes % clear_every == 0:
            emit(256)
            end_group()
            table = {bytes([i]): i for i in range(256)}
            free, width = 257, 9
        current = letter
    emit(table[current])
    out += group
    out += "0" * (-len(out) % 8)
    packed = bytes(int(out[i : i + 8][::-1], 2) for i in range(0, len(out), 8))
    return bytes([0x1F, 0x9D, 0x80 | max_bits]) + packed
