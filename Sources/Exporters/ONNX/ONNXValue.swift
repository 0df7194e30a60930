import Forge

/// A value of the network in the ONNX graph: one tensor in one or several forms.
///
/// The first axis of every form holds the examples, of which a constant has one.
struct ONNXValue {
  /// How the axes of a tensor of the network follow each other.
  enum Form: Hashable {
    /// As in the network's memory, channels last.
    case plain
    /// Of an image, channels first: [examples][channels][height][width].
    case channelsFirst
    /// Of an image of one pixel: [examples][channels].
    case flat
  }

  /// The sizes in the network.
  let sizes: [Int]
  /// The form in which it was computed.
  let primary: Form
  /// The names by form.
  var names: [Form: String]
  /// Whether it has the examples of the batch, and not one for all.
  let isBatched: Bool

  /// Whether it is an image.
  var isImage: Bool { sizes.count == 3 }
  /// Whether it is an image of one pixel.
  var isVector: Bool { isImage && sizes[0] == 1 && sizes[1] == 1 }
  /// The sizes of a form, without the axis of the examples.
  func sizes(in form: Form) -> [Int] {
    switch form {
    case .plain: sizes
    case .channelsFirst: [sizes[2], sizes[0], sizes[1]]
    case .flat: [sizes[2]]
    }
  }
  /// A form whose elements follow each other as in the network's memory.
  var ordered: Form? {
    if names[.plain] != nil { return .plain }
    if names[.flat] != nil { return .flat }
    guard isImage, sizes[2] == 1 || isVector else { return nil }
    return names[.channelsFirst] == nil ? nil : .channelsFirst
  }
}
