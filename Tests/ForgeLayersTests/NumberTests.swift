import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// A number in place of a pair, a literal or not, and mixtures of both.
@Suite struct NumberTests {
  private let three = 3
  private let two = 2

  private func geometry(
    _ padding: Padding, _ kernel: (Int, Int), _ stride: (Int, Int) = (1, 1),
    _ dilation: (Int, Int) = (1, 1)
  ) -> ConvolutionGeometry {
    ConvolutionGeometry(
      kernel: Size(width: kernel.0, height: kernel.1),
      stride: Size(width: stride.0, height: stride.1),
      dilation: Size(width: dilation.0, height: dilation.1), padding: padding)
  }

  @Test func convolutions() {
    let layers = [
      Convolution(kernel: 3, channels: 4), Convolution(kernel: three, channels: 4, stride: two),
      Convolution(kernel: 3, channels: 4, dilation: 2),
      Convolution(kernel: 3, channels: 4, stride: 2, dilation: two),
      Convolution(kernel: 3, channels: 4, stride: (2, 1)),
      Convolution(kernel: 3, channels: 4, dilation: (1, 2)),
      Convolution(kernel: 3, channels: 4, stride: 2, dilation: (1, 2)),
      Convolution(kernel: 3, channels: 4, stride: (2, 1), dilation: 2),
      Convolution(kernel: (7, 1), channels: 4, stride: 2),
      Convolution(kernel: (7, 1), channels: 4, dilation: 2),
      Convolution(kernel: (7, 1), channels: 4, stride: 2, dilation: 3),
      Convolution(kernel: (7, 1), channels: 4, stride: 2, dilation: (3, 1)),
      Convolution(kernel: (7, 1), channels: 4, stride: (2, 1), dilation: 3),
    ]
    #expect(
      layers.map(\.geometry) == [
        geometry(.same, (3, 3)), geometry(.same, (3, 3), (2, 2)),
        geometry(.same, (3, 3), (1, 1), (2, 2)), geometry(.same, (3, 3), (2, 2), (2, 2)),
        geometry(.same, (3, 3), (2, 1)), geometry(.same, (3, 3), (1, 1), (1, 2)),
        geometry(.same, (3, 3), (2, 2), (1, 2)), geometry(.same, (3, 3), (2, 1), (2, 2)),
        geometry(.same, (7, 1), (2, 2)), geometry(.same, (7, 1), (1, 1), (2, 2)),
        geometry(.same, (7, 1), (2, 2), (3, 3)), geometry(.same, (7, 1), (2, 2), (3, 1)),
        geometry(.same, (7, 1), (2, 1), (3, 3)),
      ])
    #expect(layers.allSatisfy { $0.channels == 4 && $0.groups == 1 && $0.hasBias })
    let full = Convolution(
      kernel: 3, channels: 4, stride: 2, dilation: 2, padding: 1, groups: 2, activation: .relu,
      useBias: false, name: "n")
    #expect(full.geometry.padding == .explicit(top: 1, left: 1, bottom: 1, right: 1))
    #expect(full.groups == 2 && !full.hasBias && full.activation == .relu && full.name == "n")
  }

  @Test func depthwiseConvolutions() {
    let layers = [
      DepthwiseConvolution(kernel: 3), DepthwiseConvolution(kernel: three, stride: two),
      DepthwiseConvolution(kernel: 3, dilation: 2),
      DepthwiseConvolution(kernel: 3, stride: 2, dilation: two),
      DepthwiseConvolution(kernel: 3, stride: (2, 1)),
      DepthwiseConvolution(kernel: 3, stride: (2, 1), dilation: 2),
      DepthwiseConvolution(kernel: 3, stride: 2, dilation: (1, 2)),
      DepthwiseConvolution(kernel: (7, 1), stride: 2),
      DepthwiseConvolution(kernel: (7, 1), dilation: 2),
      DepthwiseConvolution(kernel: (7, 1), stride: 2, dilation: 3),
    ]
    #expect(
      layers.map(\.geometry) == [
        geometry(.same, (3, 3)), geometry(.same, (3, 3), (2, 2)),
        geometry(.same, (3, 3), (1, 1), (2, 2)), geometry(.same, (3, 3), (2, 2), (2, 2)),
        geometry(.same, (3, 3), (2, 1)), geometry(.same, (3, 3), (2, 1), (2, 2)),
        geometry(.same, (3, 3), (2, 2), (1, 2)), geometry(.same, (7, 1), (2, 2)),
        geometry(.same, (7, 1), (1, 1), (2, 2)), geometry(.same, (7, 1), (2, 2), (3, 3)),
      ])
    #expect(DepthwiseConvolution(kernel: 3, multiplier: 2, useBias: false).multiplier == 2)
    #expect(!DepthwiseConvolution(kernel: 3, multiplier: 2, useBias: false).hasBias)
  }

  @Test func pointwiseConvolutions() {
    let layer = PointwiseConvolution(channels: 4, stride: two, activation: .relu)
    #expect(layer.geometry == geometry(.valid, (1, 1), (2, 2)))
    #expect(layer.channels == 4 && layer.activation == .relu)
  }

  @Test func poolings() {
    let largest = [
      MaxPooling(2), MaxPooling(three, stride: two), MaxPooling(3, stride: (2, 1)),
      MaxPooling(kernel: 2), MaxPooling(kernel: 3, stride: 2),
      MaxPooling(kernel: 3, stride: (2, 1)), MaxPooling(kernel: (3, 2), stride: 1),
      MaxPooling(3, stride: nil), MaxPooling(3, stride: 2, padding: 1),
    ]
    let means = [
      AveragePooling(2), AveragePooling(three, stride: two), AveragePooling(3, stride: (2, 1)),
      AveragePooling(kernel: 2), AveragePooling(kernel: 3, stride: 2),
      AveragePooling(kernel: 3, stride: (2, 1)), AveragePooling(kernel: (3, 2), stride: 1),
      AveragePooling(3, stride: nil), AveragePooling(3, stride: 2, padding: 1),
    ]
    let geometries = [
      geometry(.valid, (2, 2), (2, 2)), geometry(.valid, (3, 3), (2, 2)),
      geometry(.valid, (3, 3), (2, 1)), geometry(.valid, (2, 2), (2, 2)),
      geometry(.valid, (3, 3), (2, 2)), geometry(.valid, (3, 3), (2, 1)),
      geometry(.valid, (3, 2), (1, 1)), geometry(.valid, (3, 3), (3, 3)),
      geometry(.all(1), (3, 3), (2, 2)),
    ]
    #expect(largest.map(\.geometry) == geometries)
    #expect(means.map(\.geometry) == geometries)
    #expect(AveragePooling(3, border: .counted).border == .counted)
  }

  @Test func otherSizes() {
    #expect(UpSampling(two).size == Size(width: 2, height: 2))
    #expect(UpSampling(size: 3, mode: .bilinear).size == Size(width: 3, height: 3))
    #expect(UpSampling(size: 3, mode: .bilinear).mode == .bilinear)
    #expect(UpSampling().size == Size(width: 2, height: 2))
    #expect(Crop(two).edges == Edges(all: 2))
    #expect(Crop(top: 2).edges == Edges(top: 2))
    #expect(ZeroPadding(1).edges == Edges(all: 1))
    #expect(Scale(1 / 255).factors == [1 / 255])
    #expect(Scale(1 / 255).bias == [0])
    #expect(Scale(1 / 127.5, bias: -1).bias == [-1])
  }

  @Test func paddingAsNumber() {
    let padding: Padding = 2
    #expect(padding == .explicit(top: 2, left: 2, bottom: 2, right: 2))
    #expect(Padding.all(two) == padding)
    expectError(
      Convolution(kernel: 3, channels: 1, padding: -1), [image(7, 5, 3)], .invalidArgument,
      negative("padding", "top -1, left -1, bottom -1, right -1"))
  }

  @Test func numbersOutOfRange() {
    expectError(
      Convolution(kernel: 0, channels: 1), [image(7, 5, 3)], .invalidArgument,
      notPositive("kernel", "(0, 0)"))
    expectError(
      MaxPooling(2, stride: -1), [image(7, 5, 3)], .invalidArgument,
      notPositive("stride", "(-1, -1)"))
    expectError(
      UpSampling(.max), [image(7, 5, 3)], .invalidArgument,
      notPositive("size", "(9223372036854775807, 9223372036854775807)"))
  }

  @Test func placesOfNumberForms() {
    let line = #line + 2
    let layers: [any Layer] = [
      Convolution(kernel: 3, channels: 1), DepthwiseConvolution(kernel: 3, stride: 2),
      PointwiseConvolution(channels: 1, stride: 2), MaxPooling(2), AveragePooling(kernel: 2),
      UpSampling(2), UpSampling(size: 2), Crop(1), Scale(2), MaxPooling(kernel: (2, 1), stride: 1),
    ]
    #expect(layers.map(\.place.line) == [0, 0, 1, 1, 1, 2, 2, 2, 2, 2].map { line + $0 })
    #expect(layers.allSatisfy { $0.place.fileID == "ForgeLayersTests/NumberTests.swift" })
    #expect(layers[0].place.column == 18)
  }
}
