"""Random expressions of each type, over the names that a program has at one place.

A type is a string as Swift writes it: `Int`, `[Float]`, `[String: Int]`, `Set<Int>`, `Int?`, or the
name of a structure or enumeration of the program. `expression(type)` gives the text and its kind:
"typed", or "integer" or "fraction" for literals that have no type yet.
"""
WHOLE = ["Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"]
REAL = ["Float", "Double", "Float16"]
NUMBERS = WHOLE + REAL
WORDS = ["", "a", "conv", "é", "ab c", "Z", "née", "x1", "👨‍👩‍👧", "tail"]
KEYS = ["a", "b", "conv", "z"]
LARGEST = {"Int8": 127, "UInt8": 255, "Int16": 32767, "UInt16": 65535}


class Expressions:
    """Draws expressions; `self.random` is the generator, `self.scope` the variables in reach."""

    def pick(self, items):
        return self.random.choice(list(items))

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def name(self, kind="v"):
        self.count += 1
        return f"{kind}{self.count}"

    def variables(self, kind, is_mutable=False):
        return [name for name, (type_, mutable) in self.scope.items()
                if type_ == kind and (mutable or not is_mutable)]

    # Literals

    def literal(self, kind):
        """A literal that a type admits."""
        if kind in WHOLE:
            largest = min(LARGEST.get(kind, 10**6), 10**6)
            value = self.pick([0, 1, 2, 3, 5, 7, 10, 16, 40, 100, largest // 3, largest])
            if kind.startswith("U"):
                return str(value), "integer"
            form = self.random.randrange(6)
            if form == 0 and value > 9:
                return hex(value), "integer"
            if form == 1 and value:
                return f"-{value}", "integer"
            return str(value), "integer"
        if kind in REAL:
            if self.chance(25):
                return str(self.pick([0, 1, 2, 3, 7, 10])), "integer"
            text = self.pick([
                "0.1", "0.2", "0.3", "0.57", "0.29", "1.1", "2.5", "0.35", "1e-3", "3.25", "0.07",
                "12.75", "100.5", "0.7"])
            return ("-" + text if self.chance(15) else text), "fraction"
        if kind == "Bool":
            return self.pick(["true", "false"]), "typed"
        if kind == "String":
            return '"' + self.pick(WORDS) + '"', "typed"
        raise ValueError(kind)

    # Expressions

    def text(self, kind, depth=2):
        return self.expression(kind, depth)[0]

    def typed(self, kind, depth=2):
        """An expression that has its type without any context."""
        text, form = self.expression(kind, depth)
        if form == "typed" or kind == "Int" and form == "integer" \
                or kind == "Double" and form == "fraction":
            return text
        return f"({text} as {kind})" if self.chance(30) else f"{kind}({self.atom(kind)})"

    def atom(self, kind):
        """A variable or a literal."""
        names = self.variables(kind)
        return self.pick(names) if names and self.chance(75) else self.literal(kind)[0]

    def expression(self, kind, depth=2):
        if kind.endswith("?"):
            return self.optional(kind[:-1], depth), "context"
        if kind.startswith("Set<"):
            return self.set(kind[4:-1], depth), "context"
        if kind.startswith("["):
            return self.collection(kind, depth), "context"
        if kind in self.structures or kind in self.enumerations:
            return self.own(kind, depth), "typed"
        names = self.variables(kind)
        if depth <= 0 or self.chance(20):
            if names and self.chance(75):
                return self.pick(names), "typed"
            return self.literal(kind)
        forms = {
            "Bool": self.condition, "String": self.string,
        }
        if kind in forms:
            return forms[kind](depth), "typed"
        return (self.whole if kind in WHOLE else self.real)(kind, depth)

    def joined(self, symbol, kind, depth):
        """Two operands of one type."""
        a, form_a = self.expression(kind, depth - 1)
        b, form_b = self.expression(kind, depth - 1)
        forms = {form_a, form_b}
        form = "typed" if "typed" in forms else "fraction" if "fraction" in forms else "integer"
        return f"({a} {symbol} {b})", form

    def access(self, kind):
        """Expressions that read a part of a variable: elements, fields, results; or None."""
        found = []
        for name, (type_, _) in self.scope.items():
            if type_ == f"[{kind}]":
                found += [f"({name}.first ?? {self.literal(kind)[0]})",
                          f"({name}.count > 1 ? {name}[1] : {self.typed(kind, 0)})"]
                if kind in NUMBERS:
                    found += [f"{name}.reduce({self.literal(kind)[0]}) {{ max($0, $1) }}",
                              f"({name}.max() ?? {self.literal(kind)[0]})"]
                if kind in WHOLE:
                    found.append(f"{name}.reduce(0, &+)")
                if kind in REAL:
                    found.append(f"{name}.reduce(0, +)")
            elif type_ == f"{kind}?":
                found += [f"({name} ?? {self.atom(kind)})"]
                if kind in REAL + ["Int"]:
                    found += [f"({name}.map {{ $0 / 2 }} ?? {self.literal(kind)[0]})"]
            elif type_ == f"[String: {kind}]":
                key = self.pick(KEYS)
                found += [f'{name}["{key}", default: {self.literal(kind)[0]}]',
                          f'({name}["{key}"] ?? {self.literal(kind)[0]})']
            elif type_.rstrip("?") in self.structures:
                mark = "?" if type_.endswith("?") else ""
                for path, inner in self.paths(type_.rstrip("?")):
                    if inner == kind:
                        path = f"{name}{mark}.{path}"
                        found.append(f"({path} ?? {self.literal(kind)[0]})" if mark else path)
                    elif inner == f"[{kind}]":
                        path = f"{name}{mark}.{path}"
                        found.append(f"({path}{mark}.last ?? {self.literal(kind)[0]})"
                                     if not mark else
                                     f"({path}.last ?? {self.literal(kind)[0]})")
            elif type_.startswith("(") and "->" not in type_:
                for index, part in enumerate(type_[1:-1].split(", ")):
                    if part == kind:
                        found.append(f"{name}.{index}")
        for function, (parameters, result, _) in self.functions.items():
            if result == kind:
                found.append(self.call(function, parameters))
        return self.pick(found) if found else None

    def call(self, function, parameters):
        """A call of a function of the program, without what has a default now and then."""
        arguments, is_skipped = [], False
        for label, type_, has_default in parameters:
            if has_default and (is_skipped or self.chance(50)):
                # What follows without a label would take its place.
                is_skipped = True
                continue
            value = self.atom(type_) if type_ in NUMBERS + ["Bool", "String"] else self.text(type_, 1)
            arguments.append(f"{label}: {value}" if label else value)
        return f"{function}({', '.join(arguments)})"

    def paths(self, structure, depth=2):
        """The fields of a structure and of those inside it, with their types."""
        for field, type_, _ in self.structures[structure]["fields"]:
            yield field, type_
            if type_ in self.structures and depth:
                for path, inner in self.paths(type_, depth - 1):
                    yield f"{field}.{path}", inner
        for field, type_ in self.structures[structure]["computed"]:
            yield field, type_

    # Numbers

    def whole(self, kind, depth):
        form = self.random.randrange(22)
        if form < 3:
            access = self.access(kind)
            if access:
                return access, "typed"
        if form < 8:
            # Plain operators trap in narrow types; literals take part in both.
            wraps = kind not in ("Int", "Int64", "Int32") or self.chance(60)
            symbol = self.pick(["&+", "&-", "&*"] if wraps else ["+", "-", "+"])
            if kind.startswith("U") and not wraps:
                symbol = "+"
            return self.joined(symbol, kind, depth)
        if form == 8:
            a, b = self.expression(kind, depth - 1)
            return f"({a} {self.pick('/%')} {self.pick([1, 2, 3, 5, 7])})", b
        if form == 9:
            return self.joined(self.pick("&|^"), kind, depth)
        if form == 10:
            a, b = self.expression(kind, depth - 1)
            return f"({a} {self.pick(['<<', '>>', '&>>', '&<<'])} {self.pick([0, 1, 2, 3, 7])})", b
        if form == 11:
            return f"{self.pick(['min', 'max'])}({self.typed(kind, 1)}, {self.atom(kind)})", "typed"
        if form == 12:
            source = self.pick([other for other in WHOLE if other != kind])
            label = self.pick(["truncatingIfNeeded", "clamping"])
            return f"{kind}({label}: {self.typed(source, depth - 1)})", "typed"
        if form == 13:
            source = self.pick(REAL)
            value = f"max(min({self.typed(source, depth - 1)}, 100), {0 if kind[0] == 'U' else -100})"
            rounded = self.pick(["", ".rounded()", ".rounded(.down)", ".rounded(.up)",
                                 ".rounded(.toNearestOrEven)"])
            return f"{kind}({value}{rounded})", "typed"
        if form == 14:
            return (f"({self.condition(1)} ? {self.text(kind, depth - 1)} : "
                    f"{self.typed(kind, depth - 1)})"), "typed"
        if form == 15 and kind == "Int":
            return f"{self.typed('String', 1)}.count", "typed"
        if form == 16 and kind == "Int":
            arrays = [n for n, (t, _) in self.scope.items() if t[-1] != "?" and (
                t.startswith("[") or t.startswith("Set") or t == "String")]
            if arrays:
                return f"{self.pick(arrays)}.count", "typed"
        if form == 17:
            return self.pick([f"(~{self.typed(kind, 1)})", f"{kind}.max", f"{kind}.min"]), "typed"
        if form == 18:
            parsed = f'{self.pick(["Int", "Double"])}("{self.pick([3, 12, "x"])}")'
            return (f"({parsed} == nil ? "
                    f"{self.typed(kind, 1)} : {self.atom(kind)})"), "typed"
        if form == 19 and kind == "Int":
            low = self.random.randrange(3)
            method = self.pick(["reduce(0, +)", "filter { $0 % 2 == 1 }.count",
                                "map { $0 * $0 }.reduce(1) { $0 &+ $1 }"])
            return f"({low}..<{low + self.random.randrange(6)}).{method}", "typed"
        if form == 20:
            return f"({self.typed(kind, 1)} as {kind}? ?? {self.atom(kind)})", "typed"
        names = self.variables(kind)
        return (self.pick(names), "typed") if names else self.literal(kind)

    def real(self, kind, depth):
        form = self.random.randrange(17)
        if form < 3:
            access = self.access(kind)
            if access:
                return access, "typed"
        if form < 8:
            return self.joined(self.pick("+-*"), kind, depth)
        if form == 8:
            a, b = self.expression(kind, depth - 1)
            divisor = self.pick(["2", "3", "0.3", "7", "1.5"])
            form = "fraction" if b == "integer" and "." in divisor else b
            return f"({a} / {divisor})", form
        if form == 9:
            source = self.pick(WHOLE + [other for other in REAL if other != kind])
            return f"{kind}({self.typed(source, depth - 1)})", "typed"
        if form == 10:
            function = self.pick(["min", "max"])
            return f"{function}({self.typed(kind, 1)}, {self.atom(kind)})", "typed"
        if form == 11:
            return f"abs({self.typed(kind, depth - 1)})", "typed"
        if form == 12:
            method = self.pick(["rounded()", "rounded(.up)", "rounded(.towardZero)",
                                "squareRoot().rounded()", "truncatingRemainder(dividingBy: 0.7)",
                                "magnitude", "remainder(dividingBy: 3)"])
            return f"abs({self.typed(kind, 1)}).{method}", "typed"
        if form == 13:
            return (f"({self.condition(1)} ? {self.text(kind, depth - 1)} : "
                    f"{self.typed(kind, depth - 1)})"), "typed"
        if form == 14:
            return f"{kind}({self.literal(self.pick(['Int8', kind]))[0]})", "typed"
        if form == 15:
            return f"[{self.typed(kind, 1)}, {self.literal(kind)[0]}].reduce(0, +)", "typed"
        names = self.variables(kind)
        return (self.pick(names), "typed") if names else self.literal(kind)

    # Other types

    def condition(self, depth):
        form = self.random.randrange(10)
        if form < 4:
            kind = self.pick(NUMBERS)
            symbol = self.pick(["<", "<=", ">", ">=", "==", "!="])
            a = self.typed(kind, depth - 1)
            return f"({a} {symbol} {self.text(kind, depth - 1)})"
        if form == 4:
            return f"({self.condition(depth - 1)} {self.pick(['&&', '||'])} {self.condition(depth - 1)})" \
                if depth > 0 else "true"
        if form == 5:
            return f"!{self.atom('Bool')}"
        if form == 6:
            return (f"({self.typed('String', 0)} "
                    f"{self.pick(['==', '<', '!='])} {self.typed('String', 0)})")
        if form == 7:
            test = self.pick(["isEmpty", 'hasPrefix("a")', 'hasSuffix("1")'])
            return f"{self.typed('String', 0)}.{test}"
        if form == 8:
            found = [f"({n} {self.pick(['==', '!='])} nil)" for n, (t, _) in self.scope.items()
                     if t.endswith("?") and t[:-1] in NUMBERS + ["String"]]
            found += [f"{n}.contains({self.literal('Int')[0]})" for n, (t, _) in self.scope.items()
                      if t in ("[Int]", "Set<Int>")]
            if found:
                return self.pick(found)
        if form == 9:
            return f"({self.typed('Int', 0)}, {self.typed('Int', 0)}) < ({self.literal('Int')[0]}, 3)" \
                if self.chance(50) else f"({self.typed('Int', 0)}).isMultiple(of: {self.pick([2, 3, 4])})"
        return self.atom("Bool")

    def string(self, depth):
        form = self.random.randrange(8)
        if form == 0:
            return f"({self.typed('String', depth - 1)} + {self.typed('String', depth - 1)})"
        if form in (1, 2):
            kind = self.pick(NUMBERS + ["Bool", "String"])
            names = self.variables(kind)
            value = self.pick(names) if names else self.literal("Int")[0]
            return '"' + self.pick(["n", "", "é"]) + f"\\({value})_\\({self.typed('Int', 1)})" + '"'
        if form == 3:
            return f"{self.typed('String', 0)}.{self.pick(['uppercased()', 'lowercased()'])}"
        if form == 4:
            return f"String({self.typed(self.pick(NUMBERS), 0)})"
        if form == 5:
            between = self.pick(["", "-"])
            return f'["a", {self.typed("String", 0)}, "c"].joined(separator: "{between}")'
        if form == 6:
            return f"String(repeating: {self.typed('String', 0)}, count: {self.random.randrange(4)})"
        return self.atom("String")

    def optional(self, kind, depth):
        form = self.random.randrange(6)
        names = self.variables(kind + "?")
        if form == 0:
            return "nil"
        if form == 1 and names:
            return self.pick(names)
        if form == 2 and self.variables(f"[{kind}]"):
            return f"{self.pick(self.variables(f'[{kind}]'))}.{self.pick(['first', 'last'])}"
        if form == 3 and self.variables(f"[String: {kind}]"):
            return f'{self.pick(self.variables(f"[String: {kind}]"))}["{self.pick(KEYS)}"]'
        return self.text(kind, depth - 1)

    def set(self, kind, depth):
        names = self.variables(f"Set<{kind}>")
        if names and self.chance(30):
            method = self.pick(["union", "subtracting", "intersection", "symmetricDifference"])
            return f"{self.pick(names)}.{method}([{self.literal(kind)[0]}, {self.literal(kind)[0]}])"
        items = [self.text(kind, 0) for _ in range(self.random.randrange(4))]
        return f"[{', '.join(items)}]"

    def collection(self, kind, depth):
        if ":" in kind:
            value = kind[1:-1].split(": ")[1]
            keys = self.random.sample(KEYS, self.random.randrange(4))
            items = [f'"{key}": {self.text(value, max(depth - 1, 0))}' for key in keys]
            return f"[{', '.join(items) or ':'}]"
        element = kind[1:-1]
        names = self.variables(kind)
        form = self.random.randrange(9)
        if names and form == 0:
            return self.pick(names)
        if names and form == 1:
            tail = self.pick(["reversed()", "dropFirst()", "prefix(2)", "suffix(1)", "dropLast()"])
            return f"Array({self.pick(names)}.{tail})"
        if names and form == 2 and element in NUMBERS:
            return f"{self.pick(names)}.{self.pick(['sorted()', 'sorted(by: >)'])}"
        if names and form == 3 and element in NUMBERS:
            return f"{self.pick(names)}.filter {{ $0 {self.pick(['>', '<='])} {self.literal(element)[0]} }}"
        if form == 4:
            return f"Array(repeating: {self.text(element, 0)}, count: {self.random.randrange(4)})"
        if form == 5 and element == "Int":
            return self.pick([
                "(0..<4).map { $0 * 3 }", "stride(from: 9, to: 0, by: -4).map { $0 + 1 }",
                "[3, 1, 2].enumerated().map { $0.offset * $0.element }",
                "zip([1, 2, 3], [4, 5]).map { $0 * $1 }", "Array(1...3)",
                "[[1, 2], [3]].flatMap { $0 }", '["1", "x", "3"].compactMap { Int($0) }',
                "(1...3).flatMap { Array(repeating: $0, count: $0) }"])
        if names and form == 6 and element in REAL:
            return f"{self.pick(names)}.map {{ $0 * {self.literal(element)[0]} }}"
        if names and form == 7:
            return f"({self.pick(names)} + [{self.text(element, 0)}])"
        items = [self.text(element, max(depth - 1, 0)) for _ in range(self.random.randrange(4))]
        return f"[{', '.join(items)}]"

    def own(self, kind, depth):
        """A value of a structure or an enumeration of the program."""
        names = self.variables(kind)
        if names and self.chance(50):
            return self.pick(names)
        if kind in self.enumerations:
            name, parts = self.pick(self.enumerations[kind])
            if not parts:
                return f"{kind}.{name}"
            values = [f"{label}: {self.text(type_, 0)}" if label else self.text(type_, 0)
                      for label, type_ in parts]
            return f"{kind}.{name}({', '.join(values)})"
        arguments = [
            f"{field}: {self.text(type_, 0)}"
            for field, type_, is_let in self.structures[kind]["fields"]
            if not is_let and self.chance(40)]
        return f"{kind}({', '.join(arguments)})"
