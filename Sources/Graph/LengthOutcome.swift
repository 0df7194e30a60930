import ForgeLayers
import ForgeOperations
import ForgeShapes

/// How the shape of a tensor follows the length of the sequences that a model takes.
package enum LengthOutcome: Sendable {
  /// It does not depend on such a length.
  case fixed
  /// Each size is a number that follows the length, whose largest value is stated.
  case follows([LengthSize], maximum: Int)
  /// The layer does not fit a shorter sequence, or its sizes follow no rule.
  case fails(ShapeError, maximum: Int)
  /// An earlier layer violates a rule, which is reported there.
  case blocked(maximum: Int)

  /// The largest length; `nil` for a tensor that does not depend on one.
  package var maximum: Int? {
    switch self {
    case .fixed: nil
    case .follows(_, let maximum), .fails(_, let maximum), .blocked(let maximum): maximum
    }
  }

  /// Finds how a tensor follows the length, given its shape for the largest one.
  init(of source: Tensor.Source, inputs: [Tensor], outcome: Tensor.Outcome) {
    switch source {
    case .foreign: self = .fixed
    case .input(let input):
      let axes = input.lengthAxes
      guard let maximum = axes.first?.sizes.count else {
        self = .fixed
        return
      }
      guard case .known(let outline) = outcome, let sizes = outline.shape.sizes else {
        self = .blocked(maximum: maximum)
        return
      }
      var lengthSizes = sizes.map { LengthSize($0) }
      for axis in axes { lengthSizes[axis.axis] = axis.sizes.polynomial }
      self = .follows(lengthSizes, maximum: maximum)
    case .layer(let layer):
      var ofLayer: Int?
      if case .known(let outline) = outcome { ofLayer = outline.maximumLength }
      guard let maximum = ofLayer ?? inputs.lazy.compactMap(\.lengths.maximum).first else {
        self = .fixed
        return
      }
      self = Self.sampled(layer, inputs, outcome, maximum)
    }
  }

  private static func notFollowed(
    _ needs: String, received: String? = nil, remedy: String = BackendError.lengthRemedy
  ) -> ShapeError {
    ShapeError(
      .shapeMismatch, "the layer does not follow the length of a sequence", received: received,
      needs: needs, remedy: remedy)
  }

  /// How the result of a layer depends on the length, found from some lengths.
  private static func sampled(
    _ layer: any Layer, _ inputs: [Tensor], _ outcome: Tensor.Outcome, _ maximum: Int
  ) -> LengthOutcome {
    guard case .known(let outline) = outcome, outline.shape.isKnown else {
      return .blocked(maximum: maximum)
    }
    var shapes: [[LengthSize]] = []
    for input in inputs {
      switch input.lengths {
      case .follows(let sizes, maximum): shapes.append(sizes)
      case .fixed:
        guard let sizes = input.shape?.sizes else { return .blocked(maximum: maximum) }
        shapes.append(sizes.map { LengthSize($0) })
      default: return .blocked(maximum: maximum)
      }
    }
    do throws(ShapeError) {
      if let unrolled = layer as? any UnrolledLayer, let first = shapes.first,
        first.first?.constant == nil, unrolled.isUnrolled(rank: first.count)
      {
        throw ShapeError(
          .shapeMismatch, "the layer does not follow the length of a sequence",
          received: outline.shape.description, needs: "a fixed number of times",
          remedy: "apply the inner layer to the sequence itself, if it takes one")
      }
      var found: [(length: Int, sizes: [Int])] = []
      for length in LengthSize.samples(upTo: maximum) {
        let shapesAtLength = shapes.map { Shape(sizes: $0.map { $0[length] ?? 0 }) }
        let shorter: LayerOutline
        do throws(ShapeError) {
          shorter = try LayerOutline(layer, inputs: shapesAtLength, length: length)
        } catch {
          // The remedy below may be the layer's own.
          let details = error.details.filter { $0.text != BackendError.lengthRemedy }
            .map { "\($0.label) \($0.text)" }
          let received = shapesAtLength.map { "\($0)" }.joined(separator: ", ")
          throw Self.notFollowed(
            "a layer that takes every length of the model's inputs",
            received: "\(received): " + ([error.headline] + details).joined(separator: "; "))
        }
        guard shorter.parameters == outline.parameters else {
          throw Self.notFollowed(
            "parameters whose sizes are the same for all lengths",
            remedy: "a fixed size in Input(shape:)")
        }
        // A shorter part would leave the rest of such a state as it was some predictions ago.
        guard shorter.states == outline.states else {
          throw Self.notFollowed(
            "states whose sizes are the same for all lengths",
            remedy: "a fixed size in Input(shape:), or a state whose shape does not follow the "
              + "length")
        }
        found.append((length, shorter.shape.sizes ?? []))
      }
      let rank = found[0].sizes.count
      var sizes: [LengthSize] = []
      for axis in 0..<rank where found.allSatisfy({ $0.sizes.count == rank }) {
        if let size = LengthSize(through: found.map { ($0.length, $0.sizes[axis]) }) {
          sizes.append(size)
        }
      }
      guard sizes.count == rank else {
        throw Self.notFollowed("work that grows evenly with the length")
      }
      return .follows(sizes, maximum: maximum)
    } catch {
      return .fails(error, maximum: maximum)
    }
  }
}

extension Tensor {
  /// The sizes for each length of the model's sequences; `nil` where they follow no rule.
  package var lengthSizes: [LengthSize]? {
    switch lengths {
    case .fixed: shape?.sizes?.map { LengthSize($0) }
    case .follows(let sizes, _): sizes
    case .fails, .blocked: nil
    }
  }

  /// The tensor with other sizes, of which those that follow the length do so.
  ///
  /// - Parameters:
  ///   - sizes: the sizes for the longest sequence.
  ///   - lengths: how they follow the length; `nil` to find it from this tensor.
  /// - Returns: the tensor behind a reshape.
  package func reshaped(to sizes: [Int], lengths: [LengthSize]? = nil) -> Tensor {
    chained(to: reshape(to: sizes, lengths: lengths))
  }

  /// The layer of ``reshaped(to:lengths:)``, with a name if it is given one.
  package func reshape(
    to sizes: [Int], lengths: [LengthSize]? = nil, name: String? = nil
  ) -> any Layer {
    guard let maximum = self.lengths.maximum,
      let lengthSizes = lengths ?? followed(by: sizes),
      case let open = sizes.indices.filter({ lengthSizes[$0].constant == nil }), !open.isEmpty
    else { return Reshape(to: sizes, name: name) }
    guard open.count == 1 else {
      return LengthReshape(to: lengthSizes, maximumLength: maximum, name: name)
    }
    var stated = sizes
    stated[open[0]] = -1
    return Reshape(to: stated, name: name)
  }

  /// How sizes follow the length that are those of this tensor, axes of size 1 aside, or products
  /// of neighbors; `nil` for others.
  private func followed(by sizes: [Int]) -> [LengthSize]? {
    guard let tensorSizes = lengthSizes, let maximum = lengths.maximum else { return nil }
    var rest = tensorSizes.filter { $0.constant != 1 }[...]
    var result: [LengthSize] = []
    var open = sizes[...]
    while let size = open.popFirst() {
      guard size != 1 else {
        result.append(LengthSize(1))
        continue
      }
      guard let next = rest.first, let known = next[maximum] else { return nil }
      if known > size {
        // One axis becomes several: of the same number for all lengths.
        guard next.constant != nil else { return nil }
        rest = rest.dropFirst()
        result.append(LengthSize(size))
        var left = known / size
        guard known.isMultiple(of: size) else { return nil }
        while left != 1 {
          guard let part = open.popFirst(), part > 0, left.isMultiple(of: part) else { return nil }
          result.append(LengthSize(part))
          left /= part
        }
        continue
      }
      // One axis, or several that become one.
      var product = LengthSize(1)
      while product[maximum] != size {
        guard let factor = rest.popFirst(), let both = product.multiplied(by: factor),
          let value = both[maximum], value <= size
        else { return nil }
        product = both
      }
      result.append(product)
    }
    return rest.isEmpty ? result : nil
  }
}
