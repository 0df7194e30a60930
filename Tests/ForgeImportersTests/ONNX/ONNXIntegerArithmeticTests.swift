import Forge
import ForgeImporters
import Testing

/// Arithmetic on integers and on float64 in Float32: exact, or refused.
@Suite struct ONNXIntegerArithmeticTests {
  /// The numbers of ONNX's element types.
  private enum Kind: Int {
    case uint8 = 2
    case int8 = 3
    case int64 = 7
    case float64 = 11
  }

  /// A model of one node on the inputs `x` and `z`, each of four numbers.
  private func model(
    _ type: String, _ kind: Kind, _ attributes: [String: [Int]] = [:], domain: String = ""
  ) -> [UInt8] {
    ONNXWriter.model(
      [ONNXWriter.node(type, ["x", "z"], ["y"], attributes, domain: domain)],
      inputs: ["x", "z"].map { ONNXWriter.value($0, [4], type: kind.rawValue) })
  }

  private func result(
    _ type: String, _ kind: Kind, _ x: [Float], _ z: [Float], _ attributes: [String: [Int]] = [:]
  ) throws -> [Float] {
    let network = try Model(onnx: model(type, kind, attributes)).compile()
    return try #require(try network.predict(["x": x, "z": z])["y"]?.values)
  }

  private func problem(_ bytes: [UInt8]) -> String {
    do throws(ImportError) {
      _ = try ImportedModel(onnx: bytes)
      return ""
    } catch { return error.description }
  }

  @Test func bytesWrapAround() throws {
    let (x, z): ([Float], [Float]) = ([200, 3, 255, 0], [100, 5, 255, 1])
    #expect(try result("Add", .uint8, x, z) == [44, 8, 254, 1])
    #expect(try result("Sub", .uint8, x, z) == [100, 254, 0, 255])
    #expect(try result("Mul", .uint8, x, z) == [32, 15, 1, 0])
    #expect(
      try result("Mul", .int8, [-128, 127, -7, 16], [-128, 127, 20, 8]) == [0, 1, 116, -128])
    #expect(
      try result("Div", .int8, [-128, -7, 7, -128], [-1, 2, -2, 3]) == [-128, -3, -3, -42])
  }

  /// The largest numbers that an input takes, with every sign.
  @Test func quotientsAndRemaindersAreExact() throws {
    let most: Float = 16_777_215
    let (x, z): ([Float], [Float]) = ([most, -most, most - 1, 7], [3, 5, -most, -16_777_215])
    let (xs, zs) = (x.map { Int($0) }, z.map { Int($0) })
    #expect(try result("Div", .int64, x, z) == zip(xs, zs).map { Float($0 / $1) })
    #expect(try result("Mod", .int64, x, z, ["fmod": [1]]) == zip(xs, zs).map { Float($0 % $1) })
    #expect(
      try result("Mod", .int64, x, z)
        == zip(xs, zs).map { a, b in
          let rest = a % b
          return Float(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest)
        })
  }

  @Test func aDivisionByZeroIsZero() throws {
    for (kind, zeros) in [(Kind.int64, [0, 2, 0, 1]), (.uint8, [0, 2, 0, 1])] as [(Kind, [Float])] {
      #expect(try result("Div", kind, [5, 5, 0, 3], zeros) == [0, 2, 0, 3])
      #expect(try result("Mod", kind, [5, 5, 0, 3], zeros) == [0, 1, 0, 0])
    }
  }

  @Test(arguments: ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
  func bitsOfWideIntegers(_ type: String) throws {
    let xs = [16_777_215, -16_777_215, 1_234_567, -1]
    let zs = [-16_777_215, -5, 7_654_321, 16_777_214]
    let expected = zip(xs, zs).map { a, b in
      type == "BitwiseAnd" ? a & b : type == "BitwiseOr" ? a | b : a ^ b
    }
    #expect(
      try result(type, .int64, xs.map { Float($0) }, zs.map { Float($0) })
        == expected.map { Float($0) })
  }

  /// Results that Float32 may not have.
  @Test func othersAreRefused() {
    for type in ["Add", "Sub", "Mul", "Pow"] {
      #expect(problem(model(type, .int64)).contains("\(type) with arithmetic on i64"))
    }
    #expect(problem(model("Pow", .uint8)).contains("Pow with arithmetic on u8"))
    let cast = ONNXWriter.model([ONNXWriter.node("BitCast", ["x"], ["y"], ["to": [6]])], opset: 26)
    #expect(problem(cast).contains("BitCast with the bits of f32 as i32"))
  }

  @Test func doublesAreFloats() throws {
    let imported = try ImportedModel(onnx: model("Mul", .float64))
    #expect(imported.inputs.map(\.elementType) == [.float64, .float64])
    #expect(imported.outputs.map(\.elementType) == [.float64])
    #expect(try result("Mul", .float64, [0.1, 2, -3, 0], [3, 0.5, 7, 1]) == [0.1 * 3, 1, -21, 0])
  }

  /// A threshold may lie between a number and its nearest Float32.
  @Test func featuresInDoubleAreRefused() {
    let bytes = model("FeatureVectorizer", .float64, domain: "ai.onnx.ml")
    #expect(problem(bytes).contains("features in double precision"))
  }

  /// Places and lengths that the memory does not have, in files of make_onnx_operators.py.
  @Test func wrongPlacesAreErrors() throws {
    for (name, right, wrong) in [
      ("computed_rows_written", 5, [6, -1, 100]),
      ("computed_rows_reversed", 5, [6, -1, 1_000_000]),
    ] as [(String, Float, [Float])] {
      let path = ImporterFixtures.path("ONNX/Operators/\(name).onnx")
      let network = try ImportedModel(onnx: path).model.compile()
      _ = try network.predict([0, right, 1])
      for place in wrong {
        let error = #expect(throws: PredictionError.self) { try network.predict([0, place, 1]) }
        #expect(error?.kind == .invalidIndex)
      }
    }
  }
}
