"""Draws a random program of the part of Swift that the macros evaluate.

`Program(seed)` is the same for a seed on every machine. `body` holds its statements, `results` the
expressions whose values are compared: the variables at its end.
"""
import random

from expressions import KEYS, NUMBERS, REAL, WHOLE, Expressions

SCALARS = NUMBERS + ["Bool", "String"]
COMMON = ["Int", "Float", "Double", "Int", "Float"]

class Program(Expressions):
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.count = 0
        self.lines = []
        self.indent = 1
        self.scope, self.functions, self.structures, self.enumerations = {}, {}, {}, {}
        self.loops = []
        for draw in (self.enumeration, self.structure, self.structure):
            if self.chance(65):
                draw()
        for _ in range(self.random.randrange(4, 7)):
            self.variable()
        for _ in range(self.random.randrange(7, 14)):
            self.statement(2)
        self.results = self.shown()
        self.body = "\n".join(self.lines)

    # Writing

    def write(self, line):
        # Swift refuses `a = a`.
        target, sign, value = line.partition(" = ")
        if sign and target == value:
            return
        self.lines.append("  " * self.indent + line)

    def block(self, head, draw, tail="}"):
        """A block with a scope of its own."""
        self.write(head)
        scope, functions = dict(self.scope), dict(self.functions)
        structures, enumerations = dict(self.structures), dict(self.enumerations)
        self.indent += 1
        draw()
        self.indent -= 1
        self.scope, self.functions = scope, functions
        self.structures, self.enumerations = structures, enumerations
        self.write(tail)

    def shown(self):
        """Everything at the end that can be shown."""
        results = []
        for name, (type_, _) in self.scope.items():
            if type_.startswith("("):
                if "->" not in type_:
                    results += [f"{name}.{i}" for i in range(type_.count(", ") + 1)]
            elif type_ in self.structures:
                results += [f"{name}.{path}" for path, inner in self.paths(type_)
                            if inner not in self.structures and inner not in self.enumerations]
            elif type_.rstrip("?") in self.structures:
                results += [f"{name}?.{path}" for path, inner in self.paths(type_[:-1])
                            if inner in SCALARS]
            elif type_ in self.enumerations:
                results.append(f"{name}.weight")
            else:
                results.append(name)
        self.random.shuffle(results)
        return results[:16] + ["1", "true"]

    # Declarations

    def type_(self):
        form = self.random.randrange(20)
        if form < 9:
            return self.pick(COMMON if self.chance(60) else SCALARS)
        if form < 12:
            return f"[{self.pick(COMMON + ['String', 'UInt8', 'Float16'])}]"
        if form == 12:
            return f"[String: {self.pick(COMMON + ['[Int]'])}]"
        if form < 15:
            return self.pick(COMMON + ["String", "[Int]"]) + "?"
        if form == 15:
            return f"({self.pick(COMMON)}, {self.pick(SCALARS)})"
        if form == 16:
            return "Set<Int>"
        if form == 17 and self.enumerations:
            return self.pick(self.enumerations)
        if form == 18:
            return "[[Int]]"
        if self.structures:
            name = self.pick(self.structures)
            return name + self.pick(["", "", "?"])
        return "Int"

    def value(self, type_):
        if type_.startswith("("):
            return "(" + ", ".join(self.text(part, 1) for part in type_[1:-1].split(", ")) + ")"
        return self.text(type_)

    def variable(self):
        name, type_ = self.name(), self.type_()
        word = "var" if self.chance(70) else "let"
        form = "typed" if type_.startswith("(") else None
        if type_ in SCALARS and self.chance(50):
            value, form = self.expression(type_)
        else:
            value = self.value(type_)
        is_plain = form == "typed" and type_ in SCALARS or (type_, form) in (
            ("Int", "integer"), ("Double", "fraction"))
        self.write(f"{word} {name}{'' if is_plain else ': ' + type_} = {value}")
        self.scope[name] = (type_, word == "var")

    def structure(self):
        name = self.name("S")
        fields, computed, lines = [], [], []
        for _ in range(self.random.randrange(1, 4)):
            type_ = self.pick(COMMON + ["[Int]", "[Float]", "UInt8", "Int?", "String"]
                              + list(self.structures) * 2)
            field = self.name("f")
            is_let = self.chance(15)
            self.scope, saved = {}, self.scope
            functions, self.functions = self.functions, {}
            value = f"{type_}()" if type_ in self.structures else self.text(type_, 1)
            self.scope, self.functions = saved, functions
            fields.append((field, type_, is_let))
            observer = ""
            if type_ in ("Int", "Float") and not is_let and self.chance(25):
                observer = self.pick([
                    " { didSet { log &+= 1 } }", " { willSet { log = log &* 2 &+ 1 } }",
                    f" {{ didSet {{ if {field} > 9 {{ {field} = 9 }} }} }}",
                    " { didSet { log = log &+ (oldValue > 2 ? 10 : 3) } }"])
            lines.append(f"{'let' if is_let else 'var'} {field}: {type_} = {value}{observer}")
        fields.append(("log", "Int", False))
        lines.append("var log = 0")
        whole = [field for field, type_, is_let in fields if type_ == "Int" and not is_let]
        target = self.pick(whole)
        getter = self.pick(whole)
        lines.append(f"var c1: Int {{ get {{ {getter} &* 2 }} set {{ {target} = newValue &+ 1 }} }}")
        lines.append(f"var c2: Int {{ {getter} &+ {target} }}")
        computed += [("c1", "Int"), ("c2", "Int")]
        lines.append(f"mutating func bump(_ by: Int = 2) {{ {target} = {target} &+ by; log &+= 1 }}")
        arrays = [field for field, type_, is_let in fields if type_ == "[Int]" and not is_let]
        if arrays:
            lines.append(f"mutating func put(_ x: Int) -> Int {{ {arrays[0]}.append(x); "
                         f"self.log &+= x; return {arrays[0]}.count }}")
        inner = [(field, type_) for field, type_, is_let in fields
                 if type_ in self.structures and not is_let]
        if inner:
            lines.append(f"mutating func deep() {{ {inner[0][0]}.bump(5); self.{inner[0][0]}.c1 += 1 }}")
        lines.append(f"func sum(_ k: Int) -> Int {{ var copy = self; copy.{target} = k; "
                     f"copy.bump(); return copy.{target} &+ {target} }}")
        self.write(f"struct {name} {{")
        for line in lines:
            self.write("  " + line)
        self.write("}")
        self.structures[name] = {
            "fields": fields, "computed": computed, "arrays": arrays, "inner": inner}

    def enumeration(self):
        name = self.name("E")
        cases = [("plain", []), ("one", [("", self.pick(COMMON))]),
                 ("two", [("x", self.pick(COMMON)), ("y", "[Int]")])]
        if self.chance(50):
            cases.append(("other", []))
        self.write(f"enum {name} {{")
        for case, parts in cases:
            shown = ", ".join(f"{label}: {type_}" if label else type_ for label, type_ in parts)
            self.write(f"  case {case}" + (f"({shown})" if shown else ""))
        self.write("  var weight: Int {")
        self.write("    switch self {")
        self.write("    case .plain: return 1")
        kind = cases[1][1][0][1]
        self.write(f"    case .one(let v) where v > 3: return {'v &* 2' if kind == 'Int' else 'Int(max(min(v, 50), 0) * 0.57)'}")
        self.write("    case .one: return 4")
        self.write("    case let .two(x, y): return y.count &+ (x > 1 ? 10 : 20)")
        if len(cases) == 4:
            self.write("    default: return 5")
        self.write("    }")
        self.write("  }")
        self.write("  mutating func next() { self = .one(3) }")
        self.write("}")
        self.enumerations[name] = cases

    def function(self):
        """A local function, with defaults, `inout` parameters and an inner function at times."""
        name = self.name("fn")
        result = self.pick(COMMON + ["Int", "UInt8", "String"])
        parameters = []
        for index in range(self.random.randrange(1, 4)):
            type_ = self.pick(COMMON + ["Float16", "UInt8", "[Float]"])
            label = self.pick(["", self.name("p")])
            parameters.append((label, type_, index > 0 and self.chance(50)))
        shown = []
        names = []
        for label, type_, has_default in parameters:
            inner = self.name("q")
            names.append((inner, type_))
            default = ""
            if has_default:
                saved, self.scope = self.scope, {}
                default = " = " + self.text(type_, 0)
                self.scope = saved
            shown.append(f"{label or '_'} {inner}: {type_}{default}")
        outer = {n: (t, False) for n, (t, m) in self.scope.items() if not m}
        changed = self.variables("Int", True)

        def draw():
            self.scope = dict(outer)
            for inner, type_ in names:
                self.scope[inner] = (type_, False)
            saved_functions = self.functions
            self.functions = {}
            if changed and self.chance(40):
                self.write(f"{self.pick(changed)} &+= {self.random.randrange(9)}")
            if changed and self.chance(25):
                self.write(f"defer {{ {self.pick(changed)} &-= 1 }}")
            if self.chance(35):
                self.write(f"guard {self.condition(1)} else {{ return {self.text(result, 1)} }}")
            if self.chance(25):
                helper = self.name("in")
                self.write(f"func {helper}(_ n: Int) -> Int {{ n < 2 ? 1 : n &* {helper}(n - 1) }}")
                self.functions[helper] = ([("", "Int", False)], "Int", False)
                local = self.name()
                self.write(f"let {local} = {helper}({self.random.randrange(6)})")
                self.scope[local] = ("Int", False)
            self.variable()
            self.statement(1)
            self.write(f"return {self.text(result)}")
            self.functions = saved_functions

        self.block(f"func {name}({', '.join(shown)}) -> {result} {{", draw)
        self.functions[name] = (parameters, result, True)

    # Statements

    def statement(self, depth):
        forms = [
            self.variable, self.assignment, self.assignment, self.part, self.part, self.part,
            self.own_call, self.sequence_change, self.closure, self.swap, self.inout]
        if depth > 0:
            forms += [
                lambda: self.branch(depth), lambda: self.branch(depth), lambda: self.loop(depth),
                lambda: self.loop(depth), lambda: self.while_(depth), lambda: self.switch(depth),
                lambda: self.binding(depth), self.do]
        if depth > 1:
            forms += [self.function, self.function]
        self.pick(forms)()

    def target(self, kinds):
        """A mutable variable of one of some types."""
        found = [(n, t) for n, (t, m) in self.scope.items() if m and t in kinds]
        return self.pick(found) if found else None

    def assignment(self):
        target = self.target(SCALARS)
        if not target:
            return self.variable()
        name, type_ = target
        if type_ in NUMBERS and self.chance(55):
            if type_ in WHOLE:
                symbol = self.pick(["&+=", "&-=", "&*=", "|=", "^=", ">>="])
                value = "1" if symbol == ">>=" else self.text(type_, 1)
            else:
                symbol, value = self.pick(["+=", "-=", "*="]), self.text(type_, 1)
            return self.write(f"{name} {symbol} {value}")
        if type_ == "String" and self.chance(50):
            return self.write(f"{name} += {self.text('String', 1)}")
        if type_ == "Bool" and self.chance(40):
            return self.write(f"{name}.toggle()")
        value = self.text(type_)
        self.write(f"{name} = {value if value != name else self.literal(type_)[0]}")

    def part(self):
        """A change of a part of a variable: an element, a field, what an optional holds."""
        changes = []
        for name, (type_, mutable) in self.scope.items():
            if not mutable:
                continue
            found = []
            if type_.startswith("(") and "->" not in type_:
                first = type_[1:-1].split(", ")[0]
                found.append(lambda n=name, t=first: f"{n}.0 = {self.text(t, 1)}")
                found.append(lambda n=name, t=type_: f"{n} = {self.value(t)}")
            elif type_ == "[Int]?":
                found += [lambda n=name: f"{n}?.append({self.text('Int', 1)})",
                          lambda n=name: f"{n} = [4]",
                          lambda n=name: f"if {n} != nil {{ {n}!.append(6) }}"]
            elif type_.endswith("?") and type_[:-1] in WHOLE:
                found += [lambda n=name: f"{n}? &+= 3", lambda n=name, t=type_: f"{n} = {self.text(t)}"]
            elif type_.endswith("?") and type_[:-1] in REAL:
                found += [lambda n=name: f"{n}? *= 0.57", lambda n=name, t=type_: f"{n} = {self.text(t)}"]
            elif type_.startswith("[String: "):
                value = type_[9:-1]
                key = self.pick(KEYS)
                if value == "[Int]":
                    found += [
                        lambda n=name, k=key: f'{n}["{k}"]?.append({self.text("Int", 1)})',
                        lambda n=name, k=key: f'{n}["{k}", default: []].append(3)',
                        lambda n=name, k=key: f'if {n}["{k}"] != nil {{ {n}["{k}"]!.append(8) }}']
                else:
                    symbol = "&+=" if value in WHOLE else "+="
                    found += [
                        lambda n=name, k=key, v=value: f'{n}["{k}"] = {self.text(v, 1)}',
                        lambda n=name, k=key, v=value, s=symbol:
                            f'{n}["{k}", default: {self.literal(v)[0]}] {s} {self.text(v, 0)}',
                        lambda n=name, k=key: f'{n}["{k}"] = nil',
                        lambda n=name, k=key: f'_ = {n}.removeValue(forKey: "{k}")']
            elif type_ == "[[Int]]":
                found += [
                    lambda n=name: f"if {n}.count > 0 {{ {n}[0].append({self.text('Int', 1)}) }}",
                    lambda n=name: f"if {n}.count > 1 {{ {n}[1] += [2, 3] }}",
                    lambda n=name: f"{n}.append([{self.text('Int', 0)}])",
                    lambda n=name: f"if let x = {n}.first, x.count > 0 {{ {n}[0][0] = 7 }}"]
            elif type_.startswith("["):
                element = type_[1:-1]
                found += [
                    lambda n=name, e=element: f"if {n}.count > 0 {{ {n}[0] = {self.text(e, 1)} }}",
                    lambda n=name, e=element: f"{n}.append({self.text(e, 1)})"]
                if element in WHOLE:
                    found.append(lambda n=name, e=element:
                                 f"for i in {n}.indices {{ {n}[i] = {n}[i] &* 3 &+ {self.literal(e)[0]} }}")
            elif type_ == "Set<Int>":
                found += [lambda n=name: f"{n}.insert({self.text('Int', 1)})",
                          lambda n=name: f"_ = {n}.remove({self.text('Int', 0)})",
                          lambda n=name: f"{n}.formUnion([1, 2, 99])"]
            elif type_.rstrip("?") in self.structures:
                mark = "?" if type_.endswith("?") else ""
                found += self.fields(name + mark, type_.rstrip("?"))
                if mark:
                    found.append(lambda n=name, t=type_: f"{n} = {self.value(t)}")
            changes += [(name, change) for change in found]
        if not changes:
            return self.assignment()
        name, change = self.pick(changes)
        # Swift refuses to read a variable while a part of it changes through `?`.
        scope = self.scope
        if scope[name][0].endswith("?"):
            self.scope = {other: held for other, held in scope.items() if other != name}
        line = change()
        self.scope = scope
        self.write(line)

    def fields(self, base, structure, depth=2):
        """Changes of the fields of a structure."""
        described = self.structures[structure]
        found = [lambda: f"{base}.bump({self.pick(['', self.text('Int', 0)])})",
                 lambda: f"{base}.c1 = {self.text('Int', 1)}", lambda: f"{base}.c1 &+= 3"]
        if described["arrays"]:
            found.append(lambda: f"_ = {base}.put({self.text('Int', 0)})")
        if described["inner"]:
            found.append(lambda: f"{base}.deep()")
        for field, type_, is_let in described["fields"]:
            if is_let:
                continue
            path = f"{base}.{field}"
            if type_ in WHOLE:
                found += [lambda p=path, t=type_: f"{p} = {self.text(t, 1)}",
                          lambda p=path: f"{p} &+= 5"]
            elif type_ in REAL:
                found += [lambda p=path, t=type_: f"{p} = {self.text(t, 1)}",
                          lambda p=path: f"{p} *= 0.7"]
            elif type_.startswith("["):
                element = type_[1:-1]
                found += [lambda p=path, e=element: f"{p}.append({self.text(e, 1)})",
                          lambda p=path, e=element: f"{p} += [{self.text(e, 0)}]",
                          lambda p=path: f"{p}.reverse()"]
            elif type_ == "Int?":
                found += [lambda p=path: f"{p}? &+= 4", lambda p=path: f"{p} = {self.text('Int', 0)}"]
            elif type_ in self.structures and depth:
                found += self.fields(path, type_, depth - 1) * 2
        return found

    def own_call(self):
        """A method or a function, with its result in a variable."""
        structures = [(n, t) for n, (t, m) in self.scope.items() if t in self.structures]
        if structures and self.chance(50):
            name, _ = self.pick(structures)
            local = self.name()
            self.write(f"let {local} = {name}.sum({self.text('Int', 0)})")
            self.scope[local] = ("Int", False)
            return
        enums = [(n, t) for n, (t, m) in self.scope.items() if t in self.enumerations and m]
        if enums and self.chance(50):
            name, type_ = self.pick(enums)
            return self.write(self.pick([f"{name}.next()", f"{name} = {self.own(type_, 1)}"]))
        if not self.functions:
            return self.variable()
        function = self.pick(self.functions)
        parameters, result, _ = self.functions[function]
        local = self.name()
        self.write(f"let {local} = {self.call(function, parameters)}")
        self.scope[local] = (result, False)

    def sequence_change(self):
        target = self.target(["[Int]", "[Float]", "[Double]", "[String]"])
        if not target:
            return self.variable()
        name, type_ = target
        element = type_[1:-1]
        self.write(self.pick([
            f"{name} += [{self.text(element, 1)}, {self.text(element, 0)}]", f"{name}.reverse()",
            f"{name}.sort()", f"{name}.insert({self.text(element, 0)}, at: 0)",
            f"if !{name}.isEmpty {{ {name}.removeLast() }}", f"_ = {name}.popLast()",
            f"if !{name}.isEmpty {{ {name}.remove(at: 0) }}", f"{name}.removeAll()",
            f"if {name}.count > 1 {{ {name}.swapAt(0, 1) }}",
            f"{name}.append(contentsOf: {name})", f"{name} = {name}.dropFirst().map {{ $0 + $0 }}"
            if element != "Int" else f"{name} = {name}.dropFirst().map {{ $0 &+ $0 }}",
            f"{name}.sort(by: >)", f"{name} = Array({name}.prefix(6))",
            f"{name}.removeAll {{ $0 == {self.literal(element)[0]} }}"]))

    def closure(self):
        """Closures with and without captures by value, called after a change."""
        name = self.name("g")
        form = self.random.randrange(6)
        whole = self.variables("Int", True)
        if form < 3 and whole:
            captured = self.pick(whole)
            capture = self.pick([f"[{captured}]", f"[k = {captured} &* 2]", ""])
            used = "k" if capture.startswith("[k") else captured
            self.write(f"let {name} = {{ {capture + ' in ' if capture else ''}{used} &+ {self.literal('Int')[0]} }}")
            self.write(f"{captured} = {captured} &+ 10")
            local = self.name()
            self.write(f"let {local} = {name}() &* 2 &+ {name}()")
            self.scope[local] = ("Int", False)
        elif form == 3 and whole:
            captured = self.pick(whole)
            self.write(f"let {name} = {{ {captured} &+= 3; return {captured} }}")
            local = self.name()
            self.write(f"let {local} = {name}() &+ {name}()")
            self.scope[local] = ("Int", False)
        elif form == 4:
            kind = self.pick(COMMON)
            self.write(f"let {name}: ({kind}) -> {kind} = {{ $0 * {self.literal(kind)[0]} + 1 }}"
                       if kind in REAL else f"let {name}: (Int) -> Int = {{ $0 &* 3 &- 1 }}")
            local = self.name()
            self.write(f"let {local} = {name}({self.atom(kind)})")
            self.scope[local] = (kind, False)
        else:
            self.write(f"func {name}() -> () -> Int {{ var c = 0; return {{ c += 2; return c }} }}")
            a, b, local = self.name("h"), self.name("h"), self.name()
            self.write(f"let {a} = {name}(), {b} = {name}()")
            self.write(f"let {local} = {a}() * 100 + {a}() * 10 + {b}()")
            self.scope[local] = ("Int", False)

    def swap(self):
        for kind in self.random.sample(SCALARS, len(SCALARS)):
            names = self.variables(kind, True)
            if len(names) > 1:
                a, b = self.random.sample(names, 2)
                return self.write(self.pick([f"swap(&{a}, &{b})", f"({a}, {b}) = ({b}, {a})"]))
        self.variable()

    def inout(self):
        target = self.target(["Int", "Float", "[Int]"])
        if not target:
            return self.variable()
        name, type_ = target
        function = self.name("io")
        change = {
            "Int": "x = x &* 2 &+ n", "Float": "x = x * 0.57 + Float(n)", "[Int]": "x.append(n)"}
        self.write(f"func {function}(_ x: inout {type_}, by n: Int = 3) {{ {change[type_]} }}")
        self.write(f"{function}(&{name}{self.pick(['', ', by: ' + self.text('Int', 0)])})")

    def body(self, depth, number=2):
        def draw():
            begin = len(self.lines)
            for _ in range(self.random.randrange(1, number + 1)):
                self.statement(depth - 1)
            if self.loops and self.chance(20):
                label = self.pick(self.loops)
                word = self.pick(["break", "continue"])
                self.write(f"if {self.condition(1)} {{ {word}{' ' + label if label else ''} }}")
            if len(self.lines) == begin:
                self.variable()
        return draw

    def branch(self, depth):
        self.block(f"if {self.condition(2)} {{", self.body(depth), "}")
        if self.chance(60):
            self.lines[-1] += f" else if {self.condition(1)} {{" if self.chance(40) else " else {"
            head = self.lines.pop().lstrip()
            self.block(head, self.body(depth))

    def loop(self, depth):
        name = self.name("i")
        head, kind = self.pick([
            ("0..<4", "Int"), ("1...3", "Int"), ("stride(from: 10, through: 1, by: -3)", "Int"),
            ("[0.1, 2, 0.57]", "Double"), ("[1, 2, 3]", "Int"), ("(0..<5).reversed()", "Int")])
        arrays = [(n, t) for n, (t, _) in self.scope.items() if t in ("[Int]", "[Float]", "[Double]")]
        pattern = name
        if arrays and self.chance(50):
            head, type_ = self.pick(arrays)
            kind = type_[1:-1]
            head = f"{head}.prefix(5)"
            if self.chance(30):
                pattern, head = f"(j{name}, {name})", f"{head}.enumerated()"
        where = f" where {name} > {self.literal(kind)[0]}" if self.chance(25) else ""
        label = self.name("l") if self.chance(30) else ""
        scope = dict(self.scope)
        self.scope[name] = (kind, False)
        self.loops.append(label)
        self.block(f"{label + ': ' if label else ''}for {pattern} in {head}{where} {{",
                   self.body(depth))
        self.loops.pop()
        self.scope = scope

    def while_(self, depth):
        counter = self.name("n")
        self.write(f"var {counter} = 0")
        limit = self.random.randrange(1, 6)
        draw = self.body(depth)
        self.loops.append("")

        def counted():
            self.write(f"{counter} += 1")
            draw()
        if self.chance(50):
            self.block(f"while {counter} < {limit} {{", counted)
        else:
            self.block("repeat {", counted, f"}} while {counter} < {limit}")
        self.loops.pop()
        self.scope[counter] = ("Int", False)

    def switch(self, depth):
        loops, self.loops = self.loops, [label for label in self.loops if label]
        enums = [(n, t) for n, (t, _) in self.scope.items() if t in self.enumerations]
        form = self.random.randrange(4)
        if form == 0 and enums:
            name, type_ = self.pick(enums)
            self.write(f"switch {name} {{")
            for case, parts in self.enumerations[type_]:
                scope = dict(self.scope)
                pattern = f".{case}"
                if parts and self.chance(70):
                    names = [self.name() for _ in parts]
                    pattern = self.pick([
                        f".{case}({', '.join('let ' + n for n in names)})",
                        f"let .{case}({', '.join(names)})"])
                    for local, (_, kind) in zip(names, parts):
                        self.scope[local] = (kind, False)
                self.block(f"case {pattern}:", self.body(depth, 1), "")
                self.scope = scope
            self.write("}")
        elif form == 1:
            self.write(f"switch ({self.typed('Int', 1)}, {self.typed('Bool', 0)}) {{")
            self.block("case (0, _), (..<2, true):", self.body(depth, 1), "")
            local = self.name()
            scope = dict(self.scope)
            self.scope[local] = ("Int", False)
            self.block(f"case (let {local}, false) where {local} > 2:", self.body(depth, 1), "")
            self.scope = scope
            self.block("default:", self.body(depth, 1), "")
            self.write("}")
        else:
            kind = self.pick(["Int", "Float", "Double", "UInt8"])
            self.write(f"switch {self.typed(kind)} {{")
            self.block("case 0, 3, 7:", self.body(depth, 1), "")
            if self.chance(30):
                self.lines[-1] = "  " * (self.indent + 1) + "fallthrough"
            self.block("case 1..<5:", self.body(depth, 1), "")
            self.block("case 5...:", self.body(depth, 1), "")
            self.block("default:", self.body(depth, 1), "")
            self.write("}")
        self.loops = loops

    def binding(self, depth):
        found = [(n, t[:-1]) for n, (t, _) in self.scope.items()
                 if t.endswith("?") and t[:-1] in SCALARS + ["[Int]"]]
        if not found:
            return self.branch(depth)
        name, kind = self.pick(found)
        local = self.name()
        scope = dict(self.scope)
        self.scope[local] = (kind, False)
        more = f", {self.condition(1)}" if self.chance(40) else ""
        head = self.pick([f"if let {local} = {name}{more} {{", f"if case let {local}? = {name}{more} {{",
                          f"if case .some(let {local}) = {name}{more} {{"])
        self.block(head, self.body(depth))
        self.scope = scope
        if self.chance(40):
            self.lines[-1] += " else {"
            head = self.lines.pop().lstrip()
            self.block(head, self.body(depth, 1))

    def do(self):
        whole = self.variables("Int", True)

        def draw():
            if whole:
                self.write(f"defer {{ {self.pick(whole)} &+= 2 }}")
            self.variable()
            self.statement(1)
        self.block("do {", draw)

assert REAL
