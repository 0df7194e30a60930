import Forge
import ForgeImages
import ForgeTestSupport
import Foundation
import Testing

/// Resizing, frames and presets against Pillow and OpenCV.
@Suite struct ReferenceTests {
  /// Filters of Pillow and the pairs of OpenCV are exact; OpenCV's areas round sums of Float.
  @Test(arguments: ["bilinear", "bicubic", "lanczos", "bilinearAliased", "area"])
  func resizedEqualsReference(_ name: String) throws {
    let filter = try #require(ReferenceFixtures.filters[name])
    var compared = 0
    for source in try ReferenceFixtures.shared.get().resizes {
      let image = try Image(
        width: source.width, height: source.height,
        format: ResizingFixtures.format(source.format), pixels: [UInt8](source.pixels))
      for testCase in source.cases where testCase.filter == name {
        let resized = try image.resized(
          width: testCase.width, height: testCase.height, filter: filter)
        let worst = largestDifference(resized.pixels, [UInt8](testCase.pixels))
        #expect(resized.pixels.count == testCase.pixels.count)
        #expect(
          worst <= (name == "area" ? 1 : 0),
          "\(source.format) to \(testCase.width)×\(testCase.height)")
        compared += 1
      }
    }
    #expect(compared >= 10)
  }

  @Test func floatsMatchReference() throws {
    let fixture = try ReferenceFixtures.shared.get().floats
    let image = try Image(
      width: fixture.width, height: fixture.height, format: .gray, samples: .float32,
      pixels: [UInt8](fixture.values))
    for testCase in fixture.cases {
      let filter = try #require(ReferenceFixtures.filters[testCase.filter])
      let resized = try image.resized(
        width: testCase.width, height: testCase.height, filter: filter)
      let expected = floats(testCase.values)
      let actual = floats(Data(resized.pixels))
      #expect(actual.count == expected.count)
      let worst = zip(actual, expected).map { abs($0 - $1) }.max() ?? 0
      // OpenCV takes positions of Float.
      #expect(worst <= 2e-5, "\(testCase.filter) to \(testCase.width)×\(testCase.height)")
    }
  }

  @Test func framesEqualOpenCV() throws {
    for frame in try ReferenceFixtures.shared.get().frames {
      let format = try #require(ReferenceFixtures.frameFormats[frame.format])
      let bytes = [UInt8](frame.bytes)
      let rgb = try ImageView.withView(
        of: bytes.span.bytes, width: frame.width, height: frame.height, frame: format
      ) { try $0.image(format: .rgb) }
      #expect(rgb.pixels == [UInt8](frame.rgb), "\(frame.format)")
    }
  }

  @Test func framesMatchFormulas() throws {
    let fixtures = try ReferenceFixtures.shared.get()
    let frame = try #require(fixtures.frames.first { $0.format == "nv12" })
    let bytes = [UInt8](frame.bytes)
    let matrices: [String: FrameColors.Matrix] = [
      "bt601": .bt601, "bt709": .bt709, "bt2020": .bt2020,
    ]
    for formula in fixtures.formulas {
      let colors = FrameColors(
        matrix: try #require(matrices[formula.matrix]), range: formula.isFull ? .full : .video)
      let rgb = try ImageView.withView(
        of: bytes.span.bytes, width: frame.width, height: frame.height, frame: .nv12,
        colors: colors
      ) { try $0.image(format: .rgb) }
      let expected = [UInt8](formula.rgb)
      #expect(largestDifference(rgb.pixels, expected) <= 1, "\(colors)")
      let same = zip(rgb.pixels, expected).count { $0 == $1 }
      // OpenCV's numbers for BT.601 have three digits.
      let least = colors == FrameColors() ? 0.95 : 0.999
      #expect(Double(same) >= least * Double(expected.count), "\(colors)")
    }
  }

  @Test func letterboxesEqualUltralytics() throws {
    for testCase in try ReferenceFixtures.shared.get().letterboxes {
      let image = try Image(
        width: testCase.width, height: testCase.height, format: .rgb,
        pixels: [UInt8](testCase.pixels))
      let values = try image.values(
        prepared: .letterbox(width: testCase.toWidth, height: testCase.toHeight))
      let expected = [UInt8](testCase.result).map { Float(Double($0) / 255) }
      #expect(values.values == expected, "\(testCase.width)×\(testCase.height)")
    }
  }

  @Test func torchvisionMatchesFormula() throws {
    for testCase in try ReferenceFixtures.shared.get().torchvision {
      let image = try Image(
        width: testCase.width, height: testCase.height, format: .rgb,
        pixels: [UInt8](testCase.pixels))
      let values = try image.values(
        prepared: .torchvision(size: testCase.size, shorterSide: testCase.side))
      let expected = floats(testCase.values)
      #expect(values.values.count == expected.count)
      let worst = zip(values.values, expected).map { abs($0 - $1) }.max() ?? 0
      #expect(worst <= 5e-7, "\(testCase.width)×\(testCase.height)")
    }
  }

  @Test(.shared("data/photos"))
  func photosMatchReferences() throws {
    let folder = SharedFiles.data.appending(path: "photos")
    var (compared, same) = (0, 0)
    for photo in try ReferenceFixtures.shared.get().photos {
      let image = try Image(contentsOf: folder.appending(path: photo.file).path)
        .converted(to: .rgb)
      guard checksum(image.pixels) == photo.checksum else {
        print("\(photo.file): libjpeg decodes it a little differently than Pillow's")
        continue
      }
      for (name, expected) in photo.resized {
        let filter = try #require(ReferenceFixtures.filters[name])
        let resized = try image.resized(width: 40, height: 30, filter: filter)
        let worst = largestDifference(resized.pixels, [UInt8](expected))
        #expect(worst <= (name == "area" ? 1 : 0), "\(photo.file), \(name)")
        compared += expected.count
        same += zip(resized.pixels, expected).count { $0 == $1 }
      }
      let values = try image.values(prepared: .letterbox(width: 48, height: 48)).values
      #expect(
        values == photo.letterbox.map { Float(Double($0) / 255) }, "\(photo.file), letterbox")
    }
    #expect(compared > 0)
    #expect(Double(same) >= 0.999 * Double(compared))
  }
}
