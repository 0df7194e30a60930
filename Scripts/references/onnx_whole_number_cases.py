"""Cases of make_onnx_operators.py: whole numbers of 8 bits, their bits, and bounded wider ones."""
import numpy as np
from onnx import TensorProto, helper

node = helper.make_node
TYPES = {"uint8": (TensorProto.UINT8, np.uint8, (0, 255.9)),
         "int8": (TensorProto.INT8, np.int8, (-128.4, 127.4))}


def cast(name, output, kind=TensorProto.FLOAT):
    return node("Cast", [name], [output], to=kind)


def bytes_of_two(name, operator, case, **options):
    """An operator on the halves of x as 8-bit integers, of each type.

    NumPy's integers of the type are the reference: ONNX Runtime lacks most of these kernels.
    """
    attributes, small = options.pop("attributes", {}), options.pop("small", None)
    for kind, (number, dtype, (low, high)) in TYPES.items():
        second = "q" if small is None else "s"
        stored = {} if small is None else {"s": np.asarray(small, dtype)}
        yield case(
            f"{name}_{kind}", [
                node("Split", ["x"], ["a", "b"], axis=0, num_outputs=2),
                cast("a", "p", number), cast("b", "q", number),
                node(operator, ["p", second], ["r"], **attributes), cast("r", "y")],
            (2, 37), low=low, high=high, stored=stored, reference=True, **options)


def narrow(case):
    """Arithmetic that wraps around, and quotients and remainders with every sign."""
    for operator in ("Add", "Sub", "Mul", "Max", "Min"):
        yield from bytes_of_two(f"byte_{operator.lower()}", operator, case, opset=18)
    divisors = np.array([1, 2, 3, 7, 100, 127, 5] * 6)[:37].reshape(1, 37)
    for operator, attributes in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})):
        name = f"byte_{operator.lower()}" + ("_c" if attributes else "")
        yield from bytes_of_two(
            name, operator, case, opset=18, attributes=attributes, small=divisors)
    number, dtype, (low, high) = TYPES["int8"]
    for operator, attributes in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})):
        name = f"byte_{operator.lower()}" + ("_c" if attributes else "")
        yield case(
            f"{name}_negative", [
                cast("x", "p", number), node(operator, ["p", "s"], ["r"], **attributes),
                cast("r", "y")], (3, 11), low=low, high=high, opset=18, reference=True,
            stored={"s": np.array([-1, -2, -3, -7, -128, 128 - 1, 5, -5, 64, -64, 9], dtype)},
            special=(-128, -128, -127, 127))
    yield case(
        "byte_clip", [
            cast("x", "p", number), node("Clip", ["p", "l", "h"], ["r"]), cast("r", "y")],
        (3, 11), low=low, high=high, opset=18,
        stored={"l": np.int8(-77), "h": np.int8(31)})


def bits(case):
    """Operations on bits, of 8-bit integers and of places along an axis."""
    for operator in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        yield from bytes_of_two(f"bits_{operator[7:].lower()}", operator, case, opset=18)
    amounts = {"uint8": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 255],
               "int8": [0, 1, 2, 3, 4, 5, 6, 7, 8, -1, 127]}
    for kind, (number, dtype, (low, high)) in TYPES.items():
        yield case(
            f"bits_not_{kind}", [
                cast("x", "p", number), node("BitwiseNot", ["p"], ["r"]), cast("r", "y")],
            (3, 11), low=low, high=high, opset=18, reference=True)
        for direction in ("LEFT", "RIGHT"):
            yield case(
                f"bits_{direction.lower()}_{kind}", [
                    cast("x", "p", number),
                    node("BitShift", ["p", "s"], ["r"], direction=direction), cast("r", "y")],
                (3, 11), low=low, high=high, opset=28, reference=True,
                stored={"s": np.array(amounts[kind], dtype)})
    yield case(
        "bits_cast", [
            cast("x", "p", TensorProto.INT8),
            node("BitCast", ["p"], ["r"], to=TensorProto.UINT8), cast("r", "y")],
        (3, 11), low=-128.4, high=127.4, opset=26, reference=True)
    # Places of 0 to 36, whose bound the importer knows.
    for operator, stored in (("BitwiseAnd", 21), ("BitwiseOr", -9), ("BitwiseXor", 33)):
        yield case(
            f"bits_places_{operator[7:].lower()}", [
                node("ArgMax", ["x"], ["i"], axis=1), node(operator, ["i", "s"], ["r"]),
                cast("r", "y")], (5, 37), opset=18, stored={"s": np.int64(stored)})
    yield case(
        "bits_places_not", [
            node("ArgMax", ["x"], ["i"], axis=1), node("BitwiseNot", ["i"], ["r"]),
            cast("r", "y")], (5, 37), opset=18)


def bounded(case):
    """Quotients and remainders of places, and chosen integers."""
    for operator, attributes, divisor in (
            ("Div", {}, 7), ("Div", {}, -5), ("Mod", {}, 7), ("Mod", {}, -5),
            ("Mod", {"fmod": 1}, -5)):
        name = f"places_{operator.lower()}{'_c' if attributes else ''}_{abs(divisor)}"
        yield case(
            name, [
                node("ArgMax", ["x"], ["i"], axis=1), node("Sub", ["i", "m"], ["j"]),
                node(operator, ["j", "s"], ["r"], **attributes), cast("r", "y")],
            (9, 37), opset=18, stored={"m": np.int64(17), "s": np.int64(divisor)})
    yield case(
        "places_largest", [
            node("ArgMax", ["x"], ["i"], axis=1), node("TopK", ["i", "k"], ["v", "n"], axis=0),
            cast("v", "y")], (9, 37), opset=18, stored={"k": np.array([4], np.int64)})
    yield case(
        "power_of_integers", [
            node("ArgMax", ["x"], ["i"], axis=1, keepdims=1), node("Abs", ["x"], ["a"]),
            node("Pow", ["a", "i"], ["y"])], (9, 5), opset=18)
