import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// A convolution of a plain image of few channels, with the pooling after it where that is fused.
  mutating func addPlainConvolution(
    _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry, panelWidth: Int
  ) throws {
    let pooling = convolutions.poolings[self.node]
    if let pooling { layers += pooling.layers }
    let (input, result) = (imageSizes(of: node.inputs[0]), imageSizes(of: node.output))
    let (channels, outputs) = (input[2], result[2])
    let kernel = geometry.kernel
    let source = try plain(node.inputs[0])
    let target = blockedResult(pooling?.output ?? node.output)
    // One row of the window is one tap of all its columns and channels.
    let weights = try packed(
      node.inputs[1],
      as: .convolution(
        height: kernel.height, width: 1, inputs: kernel.width * channels, outputs: outputs,
        panelWidth: panelWidth))
    let bias = try packedBias(node, count: AlignedMemory.round(outputs, to: panelWidth))
    let window = Window(geometry, input: tensor(source))
    let activation = forge_activation(
      node.activation == .linear ? pooling?.activation ?? .linear : node.activation)
    let run = require(kernels.plain_convolution)
    addStep(
      "plain convolution \(kernel.text) panel \(panelWidth)" + (pooling == nil ? "" : " pooled"),
      reads: [source], writes: [target],
      multiplyAdds: result.reduce(kernel.width * kernel.height * channels, *),
      parameterCount: outputs * kernel.width * kernel.height * channels
    ) { places in
      var arguments = forge_plain_convolution_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.weights = weights
      arguments.bias = bias
      arguments.setUndilated(window)
      arguments.height = Int32(clamping: result[0])
      arguments.width = Int32(clamping: result[1])
      arguments.panel_width = Int32(clamping: panelWidth)
      arguments.pooled = pooling == nil ? 0 : 1
      arguments.activation = activation
      return KernelCall(
        run, arguments, tiles: forge_plain_convolution_tiles, parts: Int(arguments.out.height))
    }
  }
}
