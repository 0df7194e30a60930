import Forge

/// A value of the network in a Core ML file: one tensor in one or several forms.
struct CoreMLValue {
  /// How the axes of a tensor of the network follow each other.
  enum Form: Hashable {
    /// As in the network's memory, channels last.
    case plain
    /// Of an image, channels first: [1][channels][height][width].
    case channelsFirst
    /// Of an image of one pixel: [1][channels].
    case flat
  }

  /// The sizes in the network.
  let sizes: [Int]
  /// The form in which it was computed.
  let primary: Form
  /// The names by form.
  var names: [Form: String]

  /// The usual form of an input or output.
  static func usualForm(_ sizes: [Int]) -> Form {
    guard sizes.count == 3 else { return .plain }
    return sizes[0] == 1 && sizes[1] == 1 ? .flat : .channelsFirst
  }

  /// Whether it is an image.
  var isImage: Bool { sizes.count == 3 }
  /// Whether it is an image of one pixel.
  var isVector: Bool { isImage && sizes[0] == 1 && sizes[1] == 1 }

  /// The sizes of a form of a tensor of the network.
  static func sizes(_ sizes: [Int], in form: Form) -> [Int] {
    switch form {
    case .plain: sizes
    case .channelsFirst: [1, sizes[2], sizes[0], sizes[1]]
    case .flat: [1, sizes[2]]
    }
  }

  /// The sizes of a form.
  func sizes(in form: Form) -> [Int] { Self.sizes(sizes, in: form) }

  /// A form whose elements follow each other as in the network's memory.
  var ordered: Form? {
    if names[.plain] != nil { return .plain }
    if names[.flat] != nil { return .flat }
    guard isImage, sizes[2] == 1 || isVector else { return nil }
    return names[.channelsFirst] == nil ? nil : .channelsFirst
  }
}
