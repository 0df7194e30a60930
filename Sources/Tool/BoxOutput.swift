import ArgumentParser
import Forge
import ForgeImages
import ForgeImporters
import ForgeToolSupport

/// The output of a detector whose form follows from its sizes.
struct BoxOutput {
  private let port: ImportedModel.Port

  /// The most boxes of a network that leaves nothing to suppress; others have more candidates.
  private static let mostFinished = 1000

  /// Finds the output.
  ///
  /// - Throws: `ValidationError` when the file has no such output.
  init(_ interface: FileInterface) throws {
    let found = interface.outputs.filter { $0.sizes.count == 3 && $0.sizes[0] == 1 }
    guard found.count == 1, let port = found.first else {
      throw ValidationError(
        "boxes are read from one output of 1×(4 + classes)×candidates, "
          + "1×candidates×(5 + classes) or 1×rows×6; the outputs are "
          + interface.outputs.map(\.description).joined(separator: "; "))
    }
    self.port = port
  }

  /// The size of pictures for a network that leaves it open: that which Ultralytics's metadata
  /// state, or the largest one, as grids of several steps take few sizes.
  ///
  /// - Returns: the size; `nil` for an input that is not a picture.
  static func pictureSize(_ network: OpenedNetwork) -> Size? {
    guard let shape = network.inputShapes.first ?? nil, let width = shape.width,
      let height = shape.height, shape.isImage
    else { return nil }
    let text = network.metadata.values["imgsz"] ?? ""
    let stated = text.split { !$0.isNumber }.compactMap { Int($0) }
    guard network.openSizes != nil, stated.count == 2, (1...height).contains(stated[0]),
      (1...width).contains(stated[1])
    else { return Size(width: width, height: height) }
    return Size(width: stated[1], height: stated[0])
  }

  /// The boxes of a picture as fractions of the input, not yet suppressed.
  func boxes(
    _ predictions: Predictions, input: Size, minimumScore: Float
  ) throws -> [DetectedBox] {
    guard let made = predictions[port.name], let own = made.shape.sizes else { return [] }
    // The sizes in the file, which may follow those of the picture.
    var sizes = port.sizes
    for (axis, size) in zip(port.axes, own) { if let axis { sizes[axis] = size } }
    let values = try port.fileValues(made.values, sizes: sizes)
    let (rows, columns) = (sizes[1], sizes[2])
    let decoder: BoxDecoder
    if columns == 6, (7...Self.mostFinished).contains(rows) {
      decoder = try .finished(count: rows, input: input)
    } else if rows < columns {
      decoder = try .candidates(classes: rows - 4, count: columns, input: input)
    } else {
      decoder = try .candidatesWithObjectness(classes: columns - 5, count: rows, input: input)
    }
    return try decoder.boxes(values, minimumScore: minimumScore)
  }
}
