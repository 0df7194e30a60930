import ForgeShapes

/// The description of a tensor in a plan: type, sizes, layout and role.
package struct TensorDescriptor: Hashable, Sendable {
  /// The memory layout of the elements.
  package enum Layout: Hashable, Sendable {
    /// Row-major in the order of the shape, the last axis contiguous.
    case plain
    /// Blocks of 16 channels, with a halo of pixels around the image that a window may read.
    ///
    /// The order is `[channels/16][height][width][16]`: a pixel's values within a block are
    /// contiguous.
    case blocked(halo: Edges)
  }

  /// The role of a tensor.
  package enum Role: String, Hashable, Sendable {
    /// Given by the caller.
    case input
    /// Read by the caller.
    case output
    /// A compile-time constant.
    case constant
    /// An intermediate result between two steps.
    case activation
    /// Kept from one prediction to the next.
    case state
  }

  /// Channels per block of the blocked layout.
  package static let blockWidth = 16

  /// The type of the elements.
  package let elementType: ElementType
  /// The sizes for one example, in memory order.
  package let sizes: [Int]
  /// Whether there is one such tensor per example of a batch.
  package let isBatched: Bool
  /// The memory layout of the elements.
  package let layout: Layout
  /// The role of the tensor.
  package let role: Role

  /// Creates a descriptor.
  package init(
    elementType: ElementType = .float32, sizes: [Int], isBatched: Bool = true, layout: Layout,
    role: Role
  ) {
    self.elementType = elementType
    self.sizes = sizes
    self.isBatched = isBatched
    self.layout = layout
    self.role = role
  }

  /// The number of elements at the API, excluding padding and halo.
  package var elementCount: Int { sizes.reduce(1, *) }

  /// The number of elements in memory, including padding and halo.
  package var storageCount: Int {
    switch layout {
    case .plain: return elementCount
    case .blocked(let halo):
      guard sizes.count == 3 else { return elementCount }
      let blocks = (sizes[2] + Self.blockWidth - 1) / Self.blockWidth
      return blocks * (sizes[0] + halo.top + halo.bottom) * (sizes[1] + halo.left + halo.right)
        * Self.blockWidth
    }
  }

  /// The size in memory in bytes.
  package var byteCount: Int { storageCount * elementType.byteCount }
}

extension TensorDescriptor: CustomStringConvertible {
  /// The tensor on one line: `112×112×32 f32 blocked, halo top 1, left 1, bottom 1, right 1`.
  package var description: String {
    let shape = Shape(sizes: sizes).sizeText
    switch layout {
    case .plain: return "\(shape) \(elementType.rawValue) plain"
    case .blocked(let halo):
      let border = halo == .none ? "" : ", halo \(halo)"
      return "\(shape) \(elementType.rawValue) blocked\(border)"
    }
  }
}
