import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct ZeroPaddingTests {
  @Test(arguments: [
    // 7 + 2 + 4 = 13, 5 + 1 + 3 = 9.
    (ZeroPadding(top: 1, left: 2, bottom: 3, right: 4), image(7, 5, 3), image(13, 9, 3)),
    (ZeroPadding(bottom: 1, right: 1), image(224, 224, 3), image(225, 225, 3)),
    (ZeroPadding(3), image(7, 5, 1), image(13, 11, 1)),
    (ZeroPadding(), image(7, 5, 2), image(7, 5, 2)),
    (ZeroPadding(1), image(nil, 5, nil), image(nil, 7, nil)),
  ])
  func shapes(layer: ZeroPadding, input: Shape, output: Shape) throws {
    #expect(try layer.outputShape(for: [input]) == output)
  }

  @Test func lowering() throws {
    let lowered = try Lowered(
      ZeroPadding(top: 1, left: 2, bottom: 3, right: 4), image(nil, nil, 3))
    #expect(lowered.text == ["pad x0"])
    let edges = Edges(top: 1, left: 2, bottom: 3, right: 4)
    guard case .pad(edges) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test(arguments: [-1, .min, (1 << 20) + 1, .max])
  func edgesOutOfRange(number: Int) {
    let input = image(7, 5, 3)
    for layer in [
      ZeroPadding(top: number), ZeroPadding(left: number), ZeroPadding(bottom: number),
      ZeroPadding(right: number), ZeroPadding(number),
    ] {
      expectError(
        layer, [input], .invalidArgument, negative("padding", layer.edges.description))
    }
  }

  @Test func otherErrors() {
    expectError(ZeroPadding(1), [Shape(sizes: [7, 5])], .shapeMismatch, notAnImage)
    expectError(
      ZeroPadding(1 << 20), [image(1, 1, 3)], .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
  }
}

@Suite struct CropTests {
  @Test(arguments: [
    // 13 − 2 − 4 = 7, 9 − 1 − 3 = 5.
    (Crop(top: 1, left: 2, bottom: 3, right: 4), image(13, 9, 3), image(7, 5, 3)),
    (Crop(top: 4, bottom: 4), image(7, 9, 3), image(7, 1, 3)),
    (Crop(), image(7, 5, 2), image(7, 5, 2)),
    (Crop(top: 1, left: 1, bottom: 1, right: 1), image(nil, 5, nil), image(nil, 3, nil)),
  ])
  func shapes(layer: Crop, input: Shape, output: Shape) throws {
    #expect(try layer.outputShape(for: [input]) == output)
  }

  @Test func lowering() throws {
    let lowered = try Lowered(Crop(top: 1, left: 2, bottom: 3, right: 4), image(nil, nil, 3))
    #expect(lowered.text == ["crop x0"])
    let edges = Edges(top: 1, left: 2, bottom: 3, right: 4)
    guard case .crop(edges) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test(arguments: [-1, .min, (1 << 20) + 1, .max])
  func edgesOutOfRange(number: Int) {
    for layer in [
      Crop(top: number), Crop(left: number), Crop(bottom: number), Crop(right: number),
    ] {
      expectError(
        layer, [image(7, 5, 3)], .invalidArgument, negative("crop", layer.edges.description))
    }
  }

  @Test func otherErrors() {
    expectError(
      Crop(top: 2, left: 1, bottom: 3, right: 1), [image(7, 5, 3)], .emptyOutput,
      """
      the output would be empty
        needs     width above 2 and height above 5 to cut top 2, left 1, bottom 3, right 1
      """)
    expectError(Crop(top: 1), [Shape(sizes: [7, 5])], .shapeMismatch, notAnImage)
  }
}
