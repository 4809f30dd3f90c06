# SPDX-License-Identifier: Apache-2.0
"""Just enough of protobuf to write and to change ONNX models."""


def varint(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(op, inputs, outputs, title, domain='', attributes=()):
    return field(1, b''.join([field(1, i) for i in inputs] + [field(2, o) for o in outputs] +
                             [field(3, title), field(4, op)] + [field(5, a) for a in attributes] + [field(7, domain)]))


def tensor(title, kind, dims, data):
    return field(5, b''.join(field(1, d) for d in dims) + field(2, kind) + field(8, title) + field(9, data))


def fields(message):
    """Number and value of each field of a message; what has no length is a number or stays bytes."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
            continue
        size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else number()
        yield key >> 3, message[at:at + size]
        at += size
