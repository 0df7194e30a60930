#if Macros
  import ForgeEvaluator
  import Foundation
  import SwiftParser
  import SwiftSyntax
  import Testing

  /// What is not known while Swift compiles is said, and never guessed.
  @Suite struct UnknownTests {
    private func messages(_ source: String) -> [String] { Expansion(source).messages }

    @Test func channelsThatAreNotKnown() {
      let found = messages(
        """
        let model = #network {
          let x = Input(width: 8, height: 8, channels: 3)
          let a = x --> Convolution(kernel: 3, channels: count, stride: 2, name: "a")
          return [a, x] --> Add() --> Dense(neurons: 3, name: "fc")
        }
        """)
      #expect(
        found == [
          "4:21 error: layer 2 \"__Add_2__\" (Add): the inputs do not match; received 4×4×? "
            + "(width×height×channels) from \"a\", 8×8×3 (width×height×channels) from \"input\"; "
            + "needs sizes that are equal along each axis, or 1 where they differ",
          "  3:17 note: layer 1 \"a\" (Convolution) makes 4×4×? (width×height×channels)",
          "  2:11 note: \"input\" (Input) makes 8×8×3 (width×height×channels)",
          "  4:12+0 fix-it: resize this branch to 8×8: \" --> Resize(width: 8, height: 8)\"",
          "3:50 remark: not known while Swift compiles, so compile() checks what depends on it: "
            + "\"count\" is not declared where the macro can see it",
        ])
    }

    @Test(arguments: [
      ("--> Convolution(kernel: size, channels: 4, name: \"a\") --> MaxPooling(90)", "size"),
      ("--> unknownBlock --> MaxPooling(90)", "unknownBlock"),
      ("--> makeBlock(3) --> MaxPooling(90)", "makeBlock"),
      ("--> Reshape(to: [n, 3]) --> MaxPooling(90)", "n"),
      ("* factor --> MaxPooling(90)", "factor"),
    ])
    func whatFollowsIsNotChecked(_ chain: String, _ name: String) {
      let found = messages(
        "let m = #network { Input(width: 8, height: 8, channels: 3) \(chain) }\n")
      #expect(found.count == 1)
      #expect(found.first?.contains("remark") == true)
      #expect(found.first?.contains("\"\(name)\"") == true)
    }

    @Test func valuesThatChangeNoShape() {
      let found = messages(
        """
        let m = #network {
          Input(width: 8, height: 8, channels: 3)
            --> Convolution(kernel: 3, channels: 4, activation: chosen, name: prefix + "a")
            --> MaxPooling(90)
        }
        """)
      // The shape is known all the same.
      #expect(found.count { $0.contains("error") && $0.contains("8×8×4") } == 1)
      #expect(found.count { $0.contains("remark") } == 2)
    }

    @Test func aConditionThatIsNotKnown() {
      let found = messages(
        """
        let m = #network {
          let x = Input(width: 8, height: 8, channels: 3)
          if isLarge { return x --> MaxPooling(90) }
          return x --> MaxPooling(2)
        }
        """)
      #expect(found.count == 1)
      #expect(found[0].hasPrefix("3:6 remark"))
    }

    @Test func aVariableMayChange() {
      let found = messages(
        """
        @Network enum Net {
          nonisolated(unsafe) static var size = 3
          static let body = Input(width: 8, height: 8, channels: 3) --> MaxPooling(size)
        }
        """)
      #expect(found.count == 1)
      #expect(found[0].contains("\"size\" is a variable, which may change"))
    }

    @Test func aBodyThatIsNotKnown() {
      let found = messages("@Network enum Net {\n  static let body = makeNetwork()\n}\n")
      #expect(
        found == [
          "2:21 remark: not known while Swift compiles, so compile() checks what depends on it: "
            + "\"makeNetwork\" is not declared where the macro can see it",
          "1:1 warning: Net.Network is not made, as the inputs and outputs are not known while "
            + "Swift compiles",
        ])
    }

    @Test func sizesOfWhatIsNotKnownAreNotKnown() {
      // A guess of `nil` for the width would take the second branch.
      let found = messages(
        """
        let m = #network {
          let x = Input(width: 8, height: 8, channels: 3) --> unknownBlock
          return (x.width ?? 0) > 4 ? x --> Softmax() : x --> Convolution(kernel: 0, channels: 1)
        }
        """)
      #expect(found.allSatisfy { $0.contains("remark") })
      #expect(found.count == 2)
    }

    /// Changes that the evaluator follows: the size is 2, and 90 would not fit.
    @Test(arguments: [
      "var n = [90]; n.removeAll(); n.append(2); let s = n[0]",
      "var n = [2, 90]; n.sort(by: >); let s = n[1]",
      "func grow(_ n: inout Int) { n = 2 }; var s = 90; grow(&s)",
      "var a = 2, b = 90; swap(&a, &b); let s = b",
      "struct Watched { var n = 2 { didSet { n = 2 } } }; var w = Watched(); w.n = 90; let s = w.n",
      "func two() -> Int { var s = 2; defer { s = 90 }; return s }; let s = two()",
    ])
    func changesAreFollowed(_ body: String) {
      #expect(messages(withSize: body).isEmpty)
    }

    /// Changes that the evaluator does not follow leave a variable unknown, not as it was.
    @Test(arguments: [
      "class Box { var n = 90; func set() { n = 2 } }; let box = Box(); box.set(); let s = box.n",
      "var s = 90; #if os(Linux); s = 2; #endif",
      "var s = 90; do { s = try two() } catch { s = 2 }",
      "let n = 90; let f = { [n = run()] in n }; let s = f()",
      "var s = 90; run { s = 2 }",
    ])
    func changesAreNotMissed(_ body: String) {
      let found = messages(withSize: body)
      #expect(found.count == 1, "\(found)")
      #expect(found.allSatisfy { $0.contains("remark") }, "\(found)")
    }

    private func messages(withSize body: String) -> [String] {
      messages(
        """
        let m = #network {
          \(body.replacing("; ", with: "\n  "))
          return Input(width: 8, height: 8, channels: 3) --> MaxPooling(s)
        }
        """)
    }

    /// A list of widths in a structure, and a width by a multiplier of type `Float`.
    @Test func networksOfSettings() {
      let widths = { (height: Int) in
        """
        let m = #network {
          struct Settings { var widths = [8, 16] }
          var s = Settings()
          s.widths.append(32)
          var x: Tensor = Input(width: 4, height: 4, channels: 3)
          for w in s.widths { x = x --> Convolution(kernel: 3, channels: w, name: "c\\(w)") }
          return x --> Reshape(width: 16, height: \(height), channels: 1)
        }
        """
      }
      #expect(messages(widths(32)).isEmpty)
      #expect(messages(widths(16)).first?.contains("received 4×4×32") == true)
      let scaled = { (width: Int, height: Int) in
        """
        let m = #network {
          func scaled(_ c: Int, by alpha: Float) -> Int { Int(Float(c) * alpha) }
          let x = Input(width: 4, height: 4, channels: 1)
          return x --> Dense(neurons: scaled(100, by: 0.57), name: "d")
            --> Reshape(width: \(width), height: \(height), channels: 1)
        }
        """
      }
      #expect(messages(scaled(19, 3)).isEmpty)
      #expect(messages(scaled(8, 7)).first?.contains("needs a shape of 57 elements") == true)
    }

    @Test func overloads() {
      let source = { (tail: String) in
        """
        let m = #network {
          func f(_ n: Int) -> Int { n }
          func f(_ x: Tensor) -> Tensor { x --> MaxPooling(2) }
          func g(_ n: Pooled) -> Int { 2 }
          func g(_ n: Large) -> Int { 90 }
          return \(tail)
        }
        """
      }
      let input = "Input(width: 8, height: 8, channels: 3)"
      #expect(messages(source("f(\(input)) --> MaxPooling(f(5))")).count == 3)
      #expect(messages(source("f(\(input)) --> MaxPooling(f(4))")).isEmpty)
      let found = messages(source("\(input) --> MaxPooling(g(.some))"))
      #expect(found.count == 1)
      #expect(found[0].contains("the overload is not known"))
    }

    @Test func evaluationEnds() {
      for body in [
        "while true { }; return Input(shape: [3])",
        "func f(_ n: Int) -> Int { f(n + 1) }; return Input(shape: [f(0)])",
        "var n = 0; for i in 0..<3_000_000 { n += i }; return Input(shape: [n])",
        "let n = Int.max + 1; return Input(shape: [n])",
        "let n = (Int.min...Int.max).count; return Input(shape: [n])",
        "var s = \"ab\"; for _ in 0..<60 { s += s }; return Input(shape: [3], name: s)",
        "var s = \"ab\"; for _ in 0..<60 { s = \"\\(s)\\(s)\" }; return Input(shape: [s.count])",
        "var s = [1]; for _ in 0..<60 { s += s }; return Input(shape: s)",
        "var s = [1]; for _ in 0..<60 { s.append(contentsOf: s) }; return Input(shape: s)",
        "let n = 1 / 0; return Input(shape: [n])",
        "let n = [1, 2][5]; return Input(shape: [n])",
        "let n = (1...0).count; return Input(shape: [n])",
        "let a = b; let b = a; return Input(shape: [a])",
        "return Input(shape: [nil!])",
        "let x = Input(shape: [Int(1e30)]); return x",
        "let s = [Int](); return Input(shape: [s.last!])",
      ] {
        let found = messages("let m = #network { \(body.replacing("; ", with: "\n")) }\n")
        #expect(!found.isEmpty, "\(body)")
        #expect(found.allSatisfy { !$0.contains("warning") }, "\(body)")
      }
    }

    @Test func sourceThatIsNoSwift() {
      for source in [
        "@Network enum", "@Network enum Net { static let body = }", "#network", "#network { --> }",
        "let m = #network { Input( --> --> ) }", "#shape(of:)", "#summary()",
        "@Network struct Net { static let body = Input(width: , height: 3) --> }",
        "@Network(maxParameters:) enum Net { static let body: }",
      ] {
        _ = messages(source)
      }
    }

    @Test func deepChains() throws {
      let steps = String(repeating: "\n  --> Activation(.relu)", count: 5000)
      let file = Parser.parse(source: "#network { Input(shape: [3])\(steps) }")
      let expansion = try #require(file.statements.first?.item.as(MacroExpansionExprSyntax.self))
      let closure = try #require(expansion.trailingClosure)
      let network = NetworkEvaluation(
        of: file, fileID: "App/Net.swift", filePath: nil, line: 1, column: 1
      ).check(closure, at: expansion, options: CheckOptions())
      #expect(network.findings.isEmpty)
      #expect(network.shapes.count == 5001)
    }
  }
#endif
