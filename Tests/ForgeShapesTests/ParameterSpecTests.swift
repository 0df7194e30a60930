import ForgeShapes
import Testing

@Suite struct ParameterSpecTests {
  @Test func ordersOfOtherFrameworks() {
    let kernel = ParameterSpec(.weights, [.outputs: 2, .height: 3, .width: 5, .inputs: 7])
    #expect(kernel.kerasAxes == [.height, .width, .inputs, .outputs])
    #expect(kernel.pytorchAxes == [.outputs, .inputs, .height, .width])
    let depthwise = ParameterSpec(
      .depthwise, [.channels: 2, .multiplier: 3, .height: 5, .width: 7])
    #expect(depthwise.kerasAxes == [.height, .width, .channels, .multiplier])
    #expect(depthwise.pytorchAxes == [.channels, .multiplier, .height, .width])
    let image = ParameterSpec(.slopes, [.height: 2, .width: 3, .channels: 5])
    #expect(image.kerasAxes == [.height, .width, .channels])
    #expect(image.pytorchAxes == [.channels, .height, .width])
    let matrix = ParameterSpec(.weights, [.outputs: 2, .inputs: 3])
    #expect(matrix.kerasAxes == matrix.axes)
    #expect(matrix.pytorchAxes == matrix.axes)
    let stated = ParameterSpec(
      .weights, [.outputs: 2, .inputs: 3], keras: [.inputs, .outputs])
    #expect(stated.kerasAxes == [.inputs, .outputs])
  }

  @Test func axesInAnyOrder() {
    let a = ParameterSpec(.weights, [.outputs: 2, .inputs: 3])
    #expect(a.hasAxes(of: ParameterSpec(.biases, [.inputs: 1, .outputs: 1])))
    #expect(!a.hasAxes(of: ParameterSpec(.weights, [.outputs: 2])))
    #expect(!a.hasAxes(of: ParameterSpec(.weights, [.outputs: 2, .width: 3])))
    #expect(!a.repeatsAxis)
    #expect(ParameterSpec(.weights, [.outputs: 2, .inputs: 3, .outputs: 2]).repeatsAxis)
  }

  @Test func axesHashByCase() {
    let axes: Set<ParameterAxis> = [.outputs, .height, .width, .inputs, .channels, .multiplier]
    #expect(axes.count == 6)
    #expect(axes.contains(.multiplier))
  }
}
