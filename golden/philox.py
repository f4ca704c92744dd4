"""Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011), our own copy so
that no library's generator can change the goldens."""

import hashlib

MASK = 0xFFFFFFFF


def philox4x32(counter, key):
    """Four 32-bit words of a counter of four words and a key of two, after ten rounds."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 1 << 32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


class Stream:
    """An endless stream of random integers that depends on the words it is named by and on nothing else."""

    def __init__(self, *names):
        digest = hashlib.sha256("/".join(str(name) for name in names).encode()).digest()
        words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 24, 4)]
        self._key = (words[0], words[1])
        self._counter = (words[2], words[3], words[4], words[5])
        self._index = 0

    def bits64(self):
        """The next 64 random bits."""
        low = (self._counter[0] + self._index) & MASK
        a, b, _, _ = philox4x32((low,) + self._counter[1:], self._key)
        self._index += 1
        return a << 32 | b

    def below(self, bound):
        """A uniform integer in [0, bound); the bias of at most bound / 2^64 does not matter here."""
        return self.bits64() * bound >> 64

    def integer(self, low, high):
        """A uniform integer in [low, high]."""
        return low + self.below(high - low + 1)

    def unit(self):
        """A uniform double in [0, 1), a multiple of 2^-53."""
        return (self.bits64() >> 11) * 2.0**-53

    def choose(self, items):
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items):
        """The items in a random order (Fisher and Yates)."""
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items
