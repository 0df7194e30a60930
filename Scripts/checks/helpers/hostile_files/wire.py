"""Messages of Protocol Buffers, written field by field, so that no package is needed."""
import struct


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field: an integer, a float, text, bytes, or a message; a list repeats it."""
    if isinstance(value, (list, tuple)):
        return b"".join(field(number, item) for item in value)
    if isinstance(value, bool) or isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(**fields):
    """A message of fields `f1=…`, in the order of the arguments; None is left out."""
    return b"".join(
        field(int(name[1:]), value) for name, value in fields.items() if value is not None)
