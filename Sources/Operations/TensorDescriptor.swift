import ForgeShapes

/// What a tensor of a plan is: type, sizes, layout and role.
public struct TensorDescriptor: Hashable, Sendable {
  /// How elements lie in memory.
  public enum Layout: Hashable, Sendable {
    /// Row-major in the order of the shape, the last axis contiguous.
    case plain
    /// Channels in blocks of 16 inside which a pixel's values are contiguous, with a border of pixels
    /// around the image that a window may read: `[channels/16][height][width][16]`.
    case blocked(halo: Edges)
  }

  /// What a tensor is for.
  public enum Role: String, Hashable, Sendable {
    /// Given by the caller.
    case input
    /// Read by the caller.
    case output
    /// Known when compiling.
    case constant
    /// Between two steps.
    case activation
    /// Kept from one prediction to the next.
    case state
  }

  /// Channels per block of the blocked layout.
  public static let blockWidth = 16

  /// The type of the elements.
  public let elementType: ElementType
  /// The sizes for one example, in memory order.
  public let sizes: [Int]
  /// Whether there is one such tensor per example of a batch.
  public let isBatched: Bool
  /// How elements lie in memory.
  public let layout: Layout
  /// What the tensor is for.
  public let role: Role

  /// Creates a descriptor.
  public init(
    elementType: ElementType = .float32, sizes: [Int], isBatched: Bool = true, layout: Layout,
    role: Role
  ) {
    self.elementType = elementType
    self.sizes = sizes
    self.isBatched = isBatched
    self.layout = layout
    self.role = role
  }

  /// The number of elements at the API, padding and halo not counted.
  public var elementCount: Int { sizes.reduce(1, *) }

  /// The number of elements that memory is needed for, padding and halo counted.
  public var storageCount: Int {
    switch layout {
    case .plain: return elementCount
    case .blocked(let halo):
      guard sizes.count == 3 else { return elementCount }
      let blocks = (sizes[2] + Self.blockWidth - 1) / Self.blockWidth
      return blocks * (sizes[0] + halo.top + halo.bottom) * (sizes[1] + halo.left + halo.right)
        * Self.blockWidth
    }
  }

  /// The bytes that memory is needed for.
  public var byteCount: Int { storageCount * elementType.byteCount }
}

extension TensorDescriptor: CustomStringConvertible {
  /// The tensor in one line: `112×112×32 f32 blocked, halo top 1, left 1, bottom 1, right 1`.
  public var description: String {
    let shape = Shape(sizes: sizes).sizeText
    switch layout {
    case .plain: return "\(shape) \(elementType.rawValue) plain"
    case .blocked(let halo):
      let border = halo == .none ? "" : ", halo \(halo.text)"
      return "\(shape) \(elementType.rawValue) blocked\(border)"
    }
  }
}
