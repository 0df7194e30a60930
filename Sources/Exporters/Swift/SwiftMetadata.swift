import Forge

/// The metadata of a model as statements.
struct SwiftMetadata {
  private let metadata: ModelMetadata
  /// The constant that holds the labels.
  private(set) var declarations: [String] = []

  /// The longest value of another key that is written.
  private static let longestValue = 4096

  init(_ metadata: ModelMetadata) { self.metadata = metadata }

  /// Whether there is nothing to write.
  var isEmpty: Bool { assignments.isEmpty && metadata.labels.isEmpty }

  /// The statements that make the value `metadata`.
  ///
  /// - Parameter name: the name of the constant that holds the labels.
  /// - Returns: the lines; none for metadata without any value.
  mutating func lines(labels name: String) -> [String] {
    guard !isEmpty else { return [] }
    var lines = ["    var metadata = ModelMetadata()"]
    lines += assignments.map { "    metadata.\($0.0) = \($0.1)" }
    if !metadata.labels.isEmpty {
      lines.append("    metadata.labels = \(name)")
      let list = SwiftLists.List(
        element: "String", literals: metadata.labels.map(SwiftText.literal))
      declarations = [""] + SwiftLists.declaration(name, list)
    }
    return lines
  }

  private var assignments: [(String, String)] {
    var all: [(String, String)] = []
    let texts = [
      ("name", metadata.name), ("about", metadata.about), ("author", metadata.author),
      ("license", metadata.license), ("version", metadata.version),
      ("producer", metadata.producer),
    ]
    for (key, text) in texts { if let text { all.append((key, SwiftText.literal(text))) } }
    for (key, value) in metadata.values.sorted(by: { $0.key < $1.key })
    where key.utf8.count + value.utf8.count <= Self.longestValue {
      all.append(("values[\(SwiftText.literal(key))]", SwiftText.literal(value)))
    }
    for (name, picture) in metadata.pictures.sorted(by: { $0.key < $1.key }) {
      all.append(("pictures[\(SwiftText.literal(name))]", Self.call(picture)))
    }
    return all
  }

  /// The call that makes the preparation of pictures.
  static func call(_ picture: PicturePreparation) -> String {
    var arguments: [String] = []
    if let width = picture.width { arguments.append("width: \(width)") }
    if let height = picture.height { arguments.append("height: \(height)") }
    if picture.colors != .rgb { arguments.append("colors: .\(picture.colors.rawValue)") }
    if picture.scale != [1] { arguments.append("scale: \(list(picture.scale))") }
    if picture.bias != [0] { arguments.append("bias: \(list(picture.bias))") }
    switch picture.fit {
    case .stretched: break
    case .center: arguments.append("fit: .center")
    case .shorterSide(let side): arguments.append("fit: .shorterSide(\(side))")
    case .shorterSideFloored(let side): arguments.append("fit: .shorterSideFloored(\(side))")
    case .letterbox(let gray): arguments.append("fit: .letterbox(\(gray))")
    }
    if picture.filter != .bilinear { arguments.append("filter: .\(picture.filter.rawValue)") }
    return "PicturePreparation(\(arguments.joined(separator: ", ")))"
  }

  private static func list(_ numbers: [Double]) -> String {
    "[\(numbers.map(SwiftText.number).joined(separator: ", "))]"
  }
}
