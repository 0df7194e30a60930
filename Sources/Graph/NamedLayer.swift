import ForgeLayers
import ForgeShapes

/// A layer under a name that is given where it is used.
///
/// ```swift
/// let y = x --> ChannelBias().named("bias1")  // parameters "bias1"
/// ```
/// The name and the place of the call replace those of the layer, so that a layer of your own needs
/// no fields for them.
public struct NamedLayer: GraphStep, Chainable {
  /// The layer.
  public let layer: any Layer
  /// The name.
  public let name: String
  /// The source location.
  public let place: SourcePlace

  /// Applies the layer.
  ///
  /// - Parameter inputs: the inputs of the layer.
  /// - Returns: its output.
  public func outputs(for inputs: [Tensor]) -> [Tensor] {
    [Tensor(.layer(layer), inputs: inputs, label: TensorLabel(name: name, place: place))]
  }

  /// Returns a block of this layer and `step`.
  ///
  /// - Parameter step: the step after the layer.
  /// - Returns: the block.
  public func chained(to step: any Step) -> Block { Block([self, step]) }
}

/// A name and a place that replace those of a layer.
package struct TensorLabel: Sendable {
  let name: String
  let place: SourcePlace
}

extension Layer {
  /// The layer under another name.
  ///
  /// - Parameters:
  ///   - name: the name of the layer and of its parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the named layer.
  public func named(
    _ name: String, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> NamedLayer {
    NamedLayer(
      layer: self, name: name, place: SourcePlace(fileID: fileID, line: line, column: column))
  }
}
