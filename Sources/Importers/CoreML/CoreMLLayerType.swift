import Forge

/// One type of layer of Core ML's networks: all that Forge knows of it.
///
/// A value stands in the file of its family, with the numbers of the fields that it reads, and in
/// the family's list.
struct CoreMLLayerType: Sendable {
  /// Translates a layer: reads its parameters and inputs, and sets its outputs.
  typealias Translation = @Sendable (inout CoreMLCall) throws -> Void

  /// The name in the format: `convolution`.
  let name: String
  /// The number of the field with the layer's parameters, by which files name the type.
  let field: Int
  let translate: Translation

  init(_ name: String, field: Int, _ translate: @escaping Translation) {
    self.name = name
    self.field = field
    self.translate = translate
  }

  /// The types by family; each family is a file.
  private static let families: [[CoreMLLayerType]] = [
    windows, products, normalizations, images, activations, functions, elementwise, reductions,
    movements, scatters, recurrent, embeddings,
  ]

  /// All types that Forge translates.
  static let all = families.flatMap(\.self)

  private static let byField = Dictionary(all.map { ($0.field, $0) }) { first, _ in first }

  /// The type with a number; `nil` if Forge does not have it.
  static func find(_ field: Int) -> CoreMLLayerType? { byField[field] }

  /// The layer whose class the caller of an importer knows.
  static let custom = 500

  /// The name of a type, including one that Forge does not have.
  static func name(of field: Int?) -> String {
    guard let field else { return "an unknown layer" }
    return find(field)?.name ?? others[field] ?? "an unknown layer"
  }

  /// The names of the types that Forge does not have, for messages.
  private static let others: [Int: String] = [
    212: "cropResize", 270: "dot", custom: "custom", 605: "branch", 615: "loop", 620: "loopBreak",
    625: "loopContinue", 635: "rangeStatic", 640: "rangeDynamic", 965: "reverseSeq",
    1000: "sliceDynamic", 1005: "slidingWindows", 1065: "getShape", 1080: "fillLike",
    1090: "fillDynamic", 1100: "broadcastToLike", 1110: "broadcastToDynamic", 1135: "reshapeLike",
    1145: "reshapeDynamic", 1170: "randomNormalLike", 1175: "randomNormalStatic",
    1180: "randomNormalDynamic", 1190: "randomUniformLike", 1195: "randomUniformStatic",
    1200: "randomUniformDynamic", 1210: "randomBernoulliLike", 1215: "randomBernoulliStatic",
    1220: "randomBernoulliDynamic", 1230: "categoricalDistribution", 1313: "whereNonZero",
    1315: "matrixBandPart", 1320: "lowerTriangular", 1325: "upperTriangular",
    1400: "NonMaximumSuppression", 1450: "oneHot", 1465: "pooling3d", 1466: "globalPooling3d",
    1470: "sliceBySize", 1471: "convolution3d",
  ]
}
