import Forge
import ForgeImporters
import Foundation
import Testing

/// What small files may ask for while they are imported: it is checked before anything is taken.
@Suite struct ImportBudgetTests {
  /// A file of a few hundred bytes that asks for much memory or work.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    /// A model that adds the sum of the constant `last`, which nodes compute, to its input.
    init(_ name: String, _ nodes: [[UInt8]], _ stored: [[UInt8]], last: String) {
      testDescription = name
      bytes = ONNXWriter.model(
        nodes + [
          ONNXWriter.node("ReduceSum", [last], ["r"], ["keepdims": [0]]),
          ONNXWriter.node("Add", ["x", "r"], ["y"]),
        ], stored: stored)
    }

    /// A constant `t0` of sizes, and nodes that compute with it.
    init(_ name: String, sizes: [Int], _ nodes: [[UInt8]], last: String) {
      self.init(
        name, [ONNXWriter.node("Expand", ["one", "s"], ["t0"])] + nodes,
        [ONNXWriter.stored("one", [1], sizes: []), ONNXWriter.stored("s", sizes)], last: last)
    }
  }

  /// The values of a model with many transpositions of one small constant.
  private static func transpositions(_ count: Int, of size: Int) -> Case {
    Case(
      "\(count) transpositions", sizes: [size, size],
      (0..<count).map {
        ONNXWriter.node("Transpose", ["t\($0)"], ["t\($0 + 1)"], ["perm": [1, 0]])
      }, last: "t\(count)")
  }

  static let cases = [
    Case(
      "ConstantOfShape", [ONNXWriter.node("ConstantOfShape", ["s"], ["e"])],
      [ONNXWriter.stored("s", [1 << 28])], last: "e"),
    Case(
      "Concat",
      (0..<60).map {
        ONNXWriter.node("Concat", ["c\($0)", "c\($0)"], ["c\($0 + 1)"], ["axis": [0]])
      }, [ONNXWriter.stored("c0", [1, 2, 3, 4], sizes: [4])], last: "c60"),
    Case(
      "NonZero", sizes: [1, 1, 1, 1, 1, 1, 1, 1 << 21],
      [
        ONNXWriter.node("NonZero", ["t0"], ["p"]),
        ONNXWriter.node("Cast", ["p"], ["f"], ["to": [1]]),
      ], last: "f"),
    Case(
      "Where", sizes: [1 << 12, 1 << 12],
      [
        ONNXWriter.node("Cast", ["t0"], ["q"], ["to": [9]]),
        ONNXWriter.node("Where", ["q", "t0", "t0"], ["f"]),
      ], last: "f"),
    Case(
      "EyeLike", sizes: [1 << 12, 1 << 12], [ONNXWriter.node("EyeLike", ["t0"], ["f"])],
      last: "f"),
    transpositions(1000, of: 500),
  ]

  private static func error(
    _ bytes: [UInt8], _ limits: ImportLimits = ImportLimits()
  ) throws
    -> ImportError?
  {
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      do throws(ImportError) {
        _ = try ImportedModel(onnx: path, options: ImportOptions(limits: limits))
        return nil
      } catch { return error }
    }
  }

  @Test(arguments: cases) func refused(_ file: Case) throws {
    let start = ContinuousClock.now
    let error = try #require(try Self.error(file.bytes))
    #expect(error.kind == .tooLarge)
    #expect(error.remedy?.contains("--trusted") == true)
    // Beyond 33 million elements nothing is computed.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  /// Constants that no later node reads are released: a chain needs memory for two.
  @Test func constantsAreReleased() throws {
    let file = Self.transpositions(200, of: 100)
    let two = 2 * 4 * 100 * 100
    // The file itself adds 8 bytes for each of its own.
    let least = two - 8 * file.bytes.count
    #expect(try Self.error(file.bytes, ImportLimits(foldedBytes: max(least, 0) + 1000)) == nil)
    #expect(file.bytes.count < 20_000)
    let one = Self.transpositions(3, of: 200)
    let refused = try Self.error(one.bytes, ImportLimits(foldedBytes: 4 * 200 * 200))
    #expect(refused?.kind == .tooLarge)
    #expect(refused?.headline == "the constants computed while importing are too large")
  }

  /// The work is that of all computations together.
  @Test func work() throws {
    let file = Self.transpositions(50, of: 10)
    let count = 51 * 100 + 100
    let most = count - 16 * file.bytes.count
    #expect(try Self.error(file.bytes, ImportLimits(foldedElements: max(most, 0) + 10_000)) == nil)
    let larger = Self.transpositions(50, of: 100)
    let refused = try Self.error(larger.bytes, ImportLimits(foldedElements: 100_000))
    #expect(refused?.headline == "the constants take too much work to compute while importing")
    #expect(refused?.received == "more than \(100_000 + 16 * larger.bytes.count) elements")
  }

  /// A file that is trusted may ask for more, and large files may by themselves.
  @Test func trusted() throws {
    let file = Case("constant", sizes: [3000, 4000], [], last: "t0")
    #expect(try Self.error(file.bytes)?.kind == .tooLarge)
    #expect(try Self.error(file.bytes, .trusted) == nil)
    let padding = ONNXWriter.field(6, String(repeating: " ", count: 3_000_000))
    #expect(try Self.error(file.bytes + padding) == nil)
  }

  // MARK: Names

  @Test func names() throws {
    func model(_ name: String) -> [UInt8] {
      ONNXWriter.model([
        ONNXWriter.node("Relu", ["x"], [name]), ONNXWriter.node("Relu", [name], ["y"]),
      ])
    }
    #expect(try Self.error(model(String(repeating: "n", count: 4096))) == nil)
    let long = try Self.error(model(String(repeating: "n", count: 4097)))
    #expect(long?.kind == .tooLarge)
    #expect(long?.headline == "a name in the file is too long")
    let marks = { (count: Int) in "a" + String(repeating: "\u{301}\u{323}", count: count / 2) }
    #expect(try Self.error(model(marks(32))) == nil)
    let many = try Self.error(model(marks(34)))
    #expect(many?.headline == "a name in the file has too many combining marks")
    #expect(many?.received == "34 in a row")
  }

  @Test func namesOfOtherFormats() throws {
    let marks = String(repeating: "\u{301}", count: 100_000)
    let net = "[net]\nwidth=8\nheight=8\nchannels=3\n[convolutional]\nfilters=1\n"
    for text in [
      net + "a\(marks)=1\n", net + "[a\(marks)]\n",
      net + "\(String(repeating: "k", count: 5000))=1\n",
    ] {
      try ImporterFixtures.withFile(Array(text.utf8), ending: "cfg") { path in
        let error = #expect(throws: ImportError.self) { try ImportedModel(darknet: path) }
        #expect(error?.kind == .tooLarge)
      }
    }
    // A Core ML network of one layer.
    let write = ONNXWriter.self
    let type = write.field(5, write.field(1, 4) + write.field(2, 65_568))
    let name = "a" + String(repeating: "\u{301}", count: 1000)
    let layer =
      write.field(1, "l") + write.field(2, "x") + write.field(3, name)
      + write.field(130, write.field(10, [UInt8]()))
    let model =
      write.field(1, 4)
      + write.field(
        2,
        write.field(1, write.field(1, "x") + write.field(3, type))
          + write.field(10, write.field(1, name) + write.field(3, type)))
      + write.field(500, write.field(1, layer) + write.field(5, 1))
    try ImporterFixtures.withFile(model, ending: "mlmodel") { path in
      let error = #expect(throws: ImportError.self) { try ImportedModel(coreML: path) }
      #expect(error?.headline == "a name in the file has too many combining marks")
    }
  }

  // MARK: Parameters

  /// Parameters that a file makes out of nothing, or of one stored tensor many times.
  @Test func parameters() throws {
    let made = ONNXWriter.model(
      [
        ONNXWriter.node("ConstantOfShape", ["s"], ["w"]),
        ONNXWriter.node("MatMul", ["x", "w"], ["y"]),
      ], stored: [ONNXWriter.stored("s", [4096, 5000])], inputs: [ONNXWriter.value("x", [1, 4096])])
    let error = try Self.error(made)
    #expect(error?.headline == "the network has more parameters than the file may ask for")
    #expect(error?.kind == .tooLarge)
    let fewer = ONNXWriter.model(
      [
        ONNXWriter.node("ConstantOfShape", ["s"], ["w"]),
        ONNXWriter.node("MatMul", ["x", "w"], ["y"]),
      ], stored: [ONNXWriter.stored("s", [4096, 1000])], inputs: [ONNXWriter.value("x", [1, 4096])])
    #expect(try Self.error(fewer) == nil)
  }

  /// A description without weights has parameters of its own limit.
  @Test func descriptionsWithoutWeights() throws {
    func error(_ outputs: Int) throws -> ImportError? {
      let text =
        "[net]\nwidth=8\nheight=8\nchannels=3\n[connected]\noutput=\(outputs)\nactivation=linear\n"
      return try ImporterFixtures.withFile(Array(text.utf8), ending: "cfg") { path in
        do throws(ImportError) {
          _ = try ImportedModel(darknet: path)
          return nil
        } catch { return error }
      }
    }
    #expect(try error(800_000) == nil)
    #expect(try error(1_000_000)?.kind == .tooLarge)
  }
}
