#if Macros
  import Foundation
  import Testing

  /// Values that the evaluator follows are those of the running program; the others are unknown.
  ///
  /// The expected values were printed by the same lines in a program that `swiftc` compiled.
  @Suite struct ValueTests {
    private func value(_ statements: String) throws -> String? {
      try evaluated("\(statements)\nreturn (n, 0)").first ?? nil
    }

    /// Changes through properties, subscripts, optionals and captures.
    @Test(
      arguments: [
        ("struct S { var a = [1, 2] }; var t = S(); t.a.append(5); let n = t.a.count", "Int 3"),
        (
          "struct S { var a = [1, 2] }; var s = S(); var t = s; t.a.append(5); "
            + "let n = s.a.count * 10 + t.a.count", "Int 23"
        ),
        (
          "struct P { var v = 1; mutating func up() { v += 4 } }; struct S { var p = P() }; "
            + "var t = S(); t.p.up(); let n = t.p.v", "Int 5"
        ),
        (#"var d = ["a": [1]]; d["a"]!.append(3); let n = d["a"]!.count"#, "Int 2"),
        (#"var d = ["a": [1]]; d["a", default: []].append(3); let n = d["a"]!.count"#, "Int 2"),
        ("var o: [Int]? = [1]; o?.append(4); let n = o!.count", "Int 2"),
        ("var k = 1; let f = { [k] in k + 1 }; k = 10; let n = f()", "Int 2"),
        ("var k = 1; let f = { [j = k * 2] in j + 1 }; k = 10; let n = f()", "Int 3"),
        ("var k = 1; let f = { k + 1 }; k = 10; let n = f()", "Int 11"),
        ("var t = [[1], [2]]; t[0].append(4); let n = t[0].count * 10 + t[1].count", "Int 21"),
        ("var a = (1, [2]); a.1.append(3); a.0 = 7; let n = a.0 * 10 + a.1.count", "Int 72"),
        (
          "struct S { var v = 1 { didSet { log += oldValue } }; var log = 0 }; var s = S(); "
            + "s.v = 10; s.v += 3; let n = s.log * 100 + s.v", "Int 1113"
        ),
        (
          "struct S { var v = 2; var w: Int { get { v * 2 } set { v = newValue + 1 } } }; "
            + "var s = S(); s.w += 10; let n = s.v", "Int 15"
        ),
        (
          "enum E { case a(Int), b }; var e = E.b; func set(_ e: inout E) { e = .a(6) }; set(&e); "
            + "var n = 1; if case .a(let k) = e { n = k }", "Int 6"
        ),
        ("var a = [1, 2, 3]; let b = a; a[0] = 9; let n = a[1...][1] * 10 + b[0]", "Int 21"),
        ("var a = 2, b = 5; swap(&a, &b); (a, b) = (a * 10, b); let n = a + b", "Int 52"),
        (
          "var x: Int { 4 }; var k = 1; var y: Int { k * 2 }; k = 5; let n = x * 100 + y", "Int 410"
        ),
        ("func f() -> Int { var k = 1; defer { k = 9 }; return k }; let n = f()", "Int 1"),
        (
          "struct S { var v: Int; init?(_ v: Int) { if v > 3 { return nil }; self.v = v } }; "
            + "let n = S(2)!.v * 10 + (S(5)?.v ?? 7)", "Int 27"
        ),
      ] as [(String, String?)])
    func changes(_ statements: String, _ expected: String?) throws {
      #expect(try value(statements) == expected)
    }

    /// Numbers of each type, and literals that get one from their use.
    @Test(
      arguments: [
        (
          "func w(_ c: Int, _ alpha: Float) -> Int { Int(Float(c) * alpha) }; let n = w(100, 0.57)",
          "Int 57"
        ),
        ("let w: Float = 0.29; let n = Int(100 * w)", "Int 29"),
        ("let w = 0.29; let n = Int(100 * w)", "Int 28"),
        ("var a: Float = 0; for _ in 0..<10 { a += 0.1 }; let n = Int(a * 10)", "Int 10"),
        ("let a: Float = 0.1; let b: Float = 0.2; let n = a + b == 0.3", "true"),
        ("let a = 0.1; let b = 0.2; let n = a + b == 0.3", "false"),
        ("let n = Int(Float(16777217))", "Int 16777216"),
        ("let n: Float16 = 2049", "Float16 2048.0"),
        ("let n = Float16(0.1) * 3", "Float16 0.2998"),
        ("let n = [Float(0.1), 0.2].reduce(0, +)", "Float 0.3"),
        ("let n: [Float] = [1, 2].map { Float($0) / 3 }", "[Float 0.33333334, Float 0.6666667]"),
        ("let n = Float.pi", "Float 3.1415925"),
        ("let n = 1 / 2 * 0.5", "Double 0.25"),
        ("let n = true ? 1 : 2.5", "Double 1.0"),
        ("let o: Float? = nil; let n = (o ?? 1) / 2", "Float 0.5"),
        ("let n = Int8(100) &+ 100", "Int8 -56"),
        ("let n = UInt8(truncatingIfNeeded: -3)", "UInt8 253"),
        ("let n = (-7 / 2, -7 % 3).0 * 10 + (-7 % 3)", "Int -31"),
        ("let n = Int8(-128) >> 3", "Int8 -16"),
        ("let n = 1 << 70", "Int 0"),
        ("let n = (2.5).rounded(.toNearestOrEven)", "Double 2.0"),
        ("let n = Int.max / 3 &* 7", "Int 3074457345618258598"),
        ("let n = UInt64(1) << 63", "UInt64 9223372036854775808"),
        // A trap of the program, or a type that the source does not tell.
        ("let n = Int8(100) + 100", nil), ("let n = 5 - UInt(6)", nil),
        ("let n = Int(Float.infinity)", nil), ("let n = abs(Int.min)", nil),
        ("func id<T>(_ t: T) -> T { t }; let n = id(1) / 2", nil),
        ("let n = outside() ? 1 : 2", nil), ("let n = true ? 1 : outside()", nil),
        ("let x: Float80 = 0.1; let n = x * 3", nil), ("let n: CGFloat = 1", nil),
      ] as [(String, String?)])
    func numbers(_ statements: String, _ expected: String?) throws {
      #expect(try value(statements) == expected)
    }

    /// What is not evaluated, or may not run, leaves what it may change unknown.
    @Test(arguments: [
      "var n = 1; outside { n = 2 }", "var n = 1; let f = { n = 2 }; outside(f)",
      "var n = 1; func f() { n = 2 }; outside(f)", "var n = [1]; outside { n.append(2) }",
      "var n = 1; _ = outside() && { n = 2; return true }()",
      "var n = 1; _ = outside() ?? { n = 2; return 3 }()",
      "var n = 1; _ = outside() ? 1 : { n = 2; return 3 }()",
      "var n = 1; func f() { if outside() { return }; n = 2 }; f()",
      "var n = 1; outside(&n)", "var n = 1; n +++= 2",
      "var n = 1; func f(_ a: @autoclosure () -> Int) { }; f({ n = 2; return 1 }())",
      "struct S { var v = 1; mutating func f() { if outside() { v = 2 } } }; var s = S(); s.f(); "
        + "let n = s.v",
      "var n = 1; var fs = [{ n = 2 }]; outside(fs); fs = []",
      "var n = 1; for (_, v) in [1: 2, 3: 4] { n = n * 2 + v }",
      "let d = [1: 2, 3: 4]; let n = d.map { $0.value }",
      "let n = \"\\(Optional(3))\"",
    ])
    func whatIsNotFollowed(_ statements: String) throws {
      #expect(try value(statements) == nil)
    }

    /// Values that hold others many times cost no more than their limit.
    ///
    /// Without the limit, an evaluation doubles its work sixty times and never ends.
    @Test(
      .timeLimit(.minutes(10)),
      arguments: [
        ("var s: [Any] = [1]; for _ in 0..<60 { s = [s, s] }; let n = s.count", "Int 2"),
        ("var s = [[1]]; for _ in 0..<60 { s = s + s }; let n = s.count", nil),
        (
          "struct S { var a: [S] = [] }; var s = S(); for _ in 0..<60 { s = S(a: [s, s]) }; "
            + "let n = s.a.count", nil
        ),
        ("var s = \"a\"; for _ in 0..<60 { s = \"\\(s)\\(s)\" }; let n = s.count", nil),
        (
          "var s = [String](repeating: \"ab\", count: 1000); "
            + "for _ in 0..<60 { s = s.map { $0 + s.joined() } }; let n = s.count", nil
        ),
        (
          "var d = [1: [1]]; for i in 0..<60 { d[1] = d[1]! + d[1]!; d[i] = d[1]! }; "
            + "let n = d.count", nil
        ),
        (
          "indirect enum E: Equatable { case leaf, node(E, E) }; var e = E.leaf; "
            + "for _ in 0..<60 { e = .node(e, e) }; let n = e == .leaf", "false"
        ),
        ("var f = { 1 }; for _ in 0..<60 { let g = f; f = { g() + g() } }; let n = f()", nil),
        (
          "let n = Array(repeating: Array(repeating: 1, count: 1000), count: 1_000_000).count", nil
        ),
        ("var a = [0]; for i in 0..<1_000_000 { a.append(i) }; let n = a.count", nil),
        ("var a = [0]; for i in 0..<9000 { let b = a; a.append(b.count) }; let n = a.count", nil),
        ("var d: [Int: Int] = [:]; for i in 0..<1_000_000 { d[i] = i }; let n = d.count", nil),
        (sharedTuples, nil),
      ] as [(String, String?)])
    func sharedValues(_ statements: String, _ expected: String?) throws {
      #expect(try value(statements) == expected)
    }

    /// Tuples of tuples, each of which holds the one before twice.
    private static let sharedTuples =
      "let t0 = (1, 2); "
      + (1...60).map { "let t\($0) = (t\($0 - 1), t\($0 - 1))" }.joined(separator: "; ")
      + "; let n = t60.0 == t60.1"
  }
#endif
