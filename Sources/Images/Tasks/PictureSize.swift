import Forge

extension Size {
  /// The size that a picture gets for an image input of a model.
  ///
  /// It is that of the input. Where sizes are open, a picture keeps its own, or is made smaller in
  /// proportion to fit into the largest ones; each side is then the nearest one that is allowed.
  ///
  /// - Parameters:
  ///   - picture: the size of the picture.
  ///   - shape: the shape of the input, height × width × channels, with its largest sizes.
  ///   - open: the open axes of the input.
  ///   - layout: the order of the axes.
  package init?(
    of picture: Size, for shape: Shape, open: [OpenAxis], layout: ImageLayout = .channelsLast
  ) {
    let first = layout == .channelsLast ? 0 : 1
    guard shape.rank == 3, picture.width > 0, picture.height > 0 else { return nil }
    let (rows, columns) = (
      open.first { $0.axis == first }, open.first { $0.axis == first + 1 }
    )
    var scale = 1.0
    if let columns { scale = min(scale, Double(columns.sizes.last) / Double(picture.width)) }
    if let rows { scale = min(scale, Double(rows.sizes.last) / Double(picture.height)) }
    let width =
      columns?.sizes.nearest(to: Double(picture.width) * scale) ?? shape.dimensions[first + 1]
    let height =
      rows?.sizes.nearest(to: Double(picture.height) * scale) ?? shape.dimensions[first]
    guard let width, let height else { return nil }
    // Sides of one name are equal.
    let isSquare = rows != nil && rows?.name == columns?.name
    self.init(width: width, height: isSquare ? width : height)
  }
}

extension SizeProgression {
  /// The size that is nearest to a number.
  fileprivate func nearest(to size: Double) -> Int {
    let place = (size - Double(first)) / Double(step) + 1
    return self[Int(min(max(place.rounded(), 1), Double(count)))]
  }
}
