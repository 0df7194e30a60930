"""Compiles programs together and runs them: what Swift itself makes of them."""
import re
import subprocess

SUPPORT = """
protocol Shown { var shown: String { get } }
extension Shown where Self: Numeric { var shown: String { "\\(Self.self) \\(self)" } }
extension Int: Shown {}
extension Int8: Shown {}
extension Int16: Shown {}
extension Int32: Shown {}
extension Int64: Shown {}
extension UInt: Shown {}
extension UInt8: Shown {}
extension UInt16: Shown {}
extension UInt32: Shown {}
extension UInt64: Shown {}
extension Float16: Shown {}
extension Float: Shown {}
extension Double: Shown {}
extension Bool: Shown { var shown: String { "\\(self)" } }
extension String: Shown { var shown: String { "\\"\\(self)\\"" } }
extension Optional: Shown where Wrapped: Shown {
  var shown: String { map { "some(\\($0.shown))" } ?? "nil" }
}
extension Array: Shown where Element: Shown {
  var shown: String { "[\\(map(\\.shown).joined(separator: ", "))]" }
}
extension Set: Shown where Element: Shown {
  var shown: String { "{\\(map(\\.shown).sorted().joined(separator: ", "))}" }
}
extension Dictionary: Shown where Key: Shown, Value: Shown {
  var shown: String {
    "{\\(map { "\\($0.key.shown): \\($0.value.shown)" }.sorted().joined(separator: ", "))}"
  }
}
func show<T: Shown>(_ value: T) -> String { value.shown }
"""

MAIN = """
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
let first = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 0 : 0
for index in first..<programs.count {
  print("begin \\(index)")
  fflush(nil)
  print("end \\(index)", programs[index]().joined(separator: "\\u{1}"), separator: "\\t")
}
fflush(nil)
"""


def source(program, number):
    shown = ",\n    ".join(f"show({result})" for result in program.results)
    return f"func program{number}() -> [String] {{\n{program.body}\n  return [\n    {shown}]\n}}\n"


def build(programs, folder, per_file=50):
    """Compiles the programs; returns those that compile."""
    for _ in range(12):
        files, places = [], {}
        (folder / "support.swift").write_text(SUPPORT)
        numbered = list(enumerate(programs))
        for start in range(0, len(programs), per_file):
            path = folder / f"part{start // per_file}.swift"
            text, line = "", 1
            for number, program in numbered[start:start + per_file]:
                piece = source(program, number)
                for offset in range(piece.count("\n")):
                    places[(path.name, line + offset)] = number
                line += piece.count("\n")
                text += piece
            path.write_text(text)
            files.append(path)
        names = ", ".join(f"program{number}" for number, _ in numbered)
        (folder / "main.swift").write_text(
            f"let programs: [() -> [String]] = [{names}]\n" + MAIN)
        run = subprocess.run(
            ["swiftc", "-Onone", "-suppress-warnings", "-j", "2", "-o", str(folder / "programs"),
             *map(str, files), str(folder / "support.swift"), str(folder / "main.swift")],
            capture_output=True, text=True, cwd=folder)
        if run.returncode == 0:
            return programs
        wrong = {}
        for name, line, message in re.findall(
                r"(part\d+\.swift):(\d+):\d+: error: (.*)", run.stdout + run.stderr):
            if (name, int(line)) in places:
                wrong.setdefault(places[(name, int(line))], message)
        if not wrong:
            raise SystemExit((run.stdout + run.stderr)[-3000:])
        for number, message in wrong.items():
            print(f"  seed {programs[number].seed} does not compile: {message}")
        programs = [program for number, program in numbered if number not in wrong]
    raise SystemExit("the programs do not compile")


def values(programs, folder):
    """The values of each program; None for one that traps."""
    found, start = {}, 0
    while start < len(programs):
        run = subprocess.run(
            [str(folder / "programs"), str(start)], capture_output=True, text=True, timeout=600)
        begun = start - 1
        for line in run.stdout.split("\n"):
            if line.startswith("begin "):
                begun = int(line[6:])
            elif line.startswith("end "):
                number, _, rest = line[4:].partition("\t")
                found[int(number)] = rest.split("\x01")
        start = begun + 1 if run.returncode else len(programs)
    return [found.get(number) for number in range(len(programs))]
