#!/usr/bin/env python3
"""Prints the hashes of ContentHashTests: BLAKE2b of the number of bytes and the digests of blocks."""
import hashlib
import struct

BLOCK = 1 << 20
for count in [0, 1, 127, 128, 129, 1000, BLOCK, BLOCK + 1, 3_000_003]:
    data = bytes((i * 7 + (i >> 8)) & 255 for i in range(count))
    blocks = [data[start:start + BLOCK] for start in range(0, count, BLOCK)]
    digests = [hashlib.blake2b(block, digest_size=32).digest() for block in blocks]
    tree = struct.pack("<Q", count) + b"".join(digests)
    print(count, hashlib.blake2b(tree, digest_size=32).hexdigest())
