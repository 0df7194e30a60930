import Forge
import ForgeImporters
import Foundation
import Testing

/// Damaged files give a model or a typed error, and never trap.
@Suite struct CoreMLHostileTests {
  private func problem(
    _ bytes: [UInt8], limits: ImportLimits = ImportLimits()
  ) -> ImportError? {
    do throws(ImportError) {
      _ = try ImportedModel(
        coreML: bytes, name: "net.mlmodel", options: ImportOptions(limits: limits))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "activations", "activations_later", "images", "later", "later_exact", "pipeline", "quantized",
    "arithmetic", "exact", "recurrent", "tables", "words", "unsupported",
  ])
  func everyTruncationAndChange(name: String) throws {
    let bytes = try ImporterFixtures.bytes("CoreML/\(name).mlmodel")
    // Of larger files every thirteenth place, to keep the time of CI.
    let step = bytes.count < 1000 ? 1 : 13
    for count in bytes.indices where count % step == 0 { _ = problem(Array(bytes[..<count])) }
    for index in bytes.indices where index % step == 0 {
      for change: UInt8 in [1, 0x08, 0x80, 0xff] {
        var changed = bytes
        changed[index] ^= change
        _ = problem(changed)
      }
    }
  }

  @Test func noModel() throws {
    #expect(problem([])?.kind == .malformed)
    #expect(problem(Array("not a model".utf8))?.kind == .malformed)
    #expect(problem(Array(repeating: 255, count: 1000))?.kind == .malformed)
  }

  @Test func limitsHold() throws {
    let bytes = try ImporterFixtures.bytes("CoreML/pipeline.mlmodel")
    #expect(problem(bytes) == nil)
    #expect(problem(bytes, limits: ImportLimits(nodes: 2))?.kind == .tooLarge)
    #expect(problem(bytes, limits: ImportLimits(tensors: 2))?.kind == .tooLarge)
    #expect(problem(bytes, limits: ImportLimits(depth: 1))?.kind == .tooLarge)
    let path = ImporterFixtures.path("CoreML/pipeline.mlmodel")
    do throws(ImportError) {
      _ = try ImportedModel(
        coreML: path, options: ImportOptions(limits: ImportLimits(fileBytes: 100)))
      Issue.record("a file beyond the limit")
    } catch {
      #expect(error.kind == .tooLarge)
    }
  }

  @Test func missingFile() {
    do throws(ImportError) {
      _ = try Model(coreML: "/nowhere/net.mlmodel")
      Issue.record("a model of no file")
    } catch {
      #expect(error.kind == .fileMissing)
    }
  }

  // MARK: Written files

  private typealias Write = ONNXWriter

  private static func feature(_ name: String) -> [UInt8] {
    Write.field(1, name)
      + Write.field(3, Write.field(5, Write.field(1, 4) + Write.field(2, 65_568)))
  }

  private static func layer(_ type: Int, _ name: String, _ output: String) -> [UInt8] {
    Write.field(
      1,
      Write.field(1, name) + Write.field(2, "x") + Write.field(3, output)
        + Write.field(type, type == 130 ? Write.field(10, [UInt8]()) : []))
  }

  /// A network on four numbers `x`, with metadata.
  private static func network(_ layers: [UInt8], metadata: [UInt8] = []) -> [UInt8] {
    Write.field(1, 4)
      + Write.field(
        2,
        Write.field(1, feature("x")) + Write.field(10, feature("y"))
          + Write.field(100, metadata))
      + Write.field(500, layers + Write.field(5, 1))
  }

  private static let relu = layer(130, "l", "y")

  /// The types of layers that Forge does not have, with their numbers in NeuralNetwork.proto.
  @Test func layersAreNamed() {
    let types = [
      212: "cropResize", 270: "dot", 500: "custom", 605: "branch", 615: "loop", 620: "loopBreak",
      625: "loopContinue", 635: "rangeStatic", 640: "rangeDynamic", 965: "reverseSeq",
      1000: "sliceDynamic", 1005: "slidingWindows", 1065: "getShape", 1080: "fillLike",
      1090: "fillDynamic", 1100: "broadcastToLike", 1110: "broadcastToDynamic",
      1135: "reshapeLike", 1145: "reshapeDynamic", 1170: "randomNormalLike",
      1200: "randomUniformDynamic", 1215: "randomBernoulliStatic",
      1230: "categoricalDistribution", 1313: "whereNonZero", 1315: "matrixBandPart",
      1320: "lowerTriangular", 1325: "upperTriangular", 1400: "NonMaximumSuppression",
      1450: "oneHot", 1465: "pooling3d", 1466: "globalPooling3d",
      1470: "sliceBySize", 1471: "convolution3d", 1999: "an unknown layer",
    ]
    let layers = types.keys.sorted().flatMap { Self.layer($0, "l\($0)", "y\($0)") }
    let error = problem(Self.network(layers + Self.relu))
    #expect(error?.kind == .unsupported)
    let lines = Set(error?.received?.split(separator: "\n").map(String.init) ?? [])
    for (number, name) in types {
      #expect(lines.contains("\(name): 1 node (\"l\(number)\")"), "\(number)")
    }
    #expect(lines.count == types.count)
  }

  /// Of equal keys of a map the last one counts, and keys are within the limits of names.
  @Test func keysOfMaps() throws {
    func entry(_ key: String, _ value: String) -> [UInt8] {
      Write.field(100, Write.field(1, key) + Write.field(2, value))
    }
    let twice = Self.network(
      Self.relu, metadata: entry("a", "1") + entry("b", "2") + entry("a", "3"))
    let metadata = try ImportedModel(coreML: twice).model.metadata
    #expect(metadata.values == ["a": "3", "b": "2"])
    for key in [
      String(repeating: "k", count: 5000), "a" + String(repeating: "\u{301}", count: 1000),
    ] {
      #expect(problem(Self.network(Self.relu, metadata: entry(key, "v")))?.kind == .tooLarge)
    }
  }

  /// Files of many small parts cost no more than their limits.
  @Test func manyParts() {
    let many = [[UInt8]](repeating: Self.relu, count: 100_000).flatMap(\.self)
    #expect(problem(Self.network(many))?.kind == .tooLarge)
    // Fields of two bytes, which take more memory than in the file.
    let fields = [UInt8](repeating: 0x08, count: 4 << 20).enumerated()
      .map { UInt8($0.offset.isMultiple(of: 2) ? $0.element : 1) }
    let limits = ImportLimits(foldedBytes: 1 << 20)
    #expect(problem(Self.network(fields), limits: limits)?.kind == .tooLarge)
    let pairs = [[UInt8]](repeating: Write.field(20, Self.feature("x")), count: 200_000)
    let functions = Self.network(Self.relu) + Write.field(2, pairs.flatMap(\.self))
    #expect(problem(functions, limits: ImportLimits(nodes: 64, tensors: 64))?.kind == .tooLarge)
  }
}
