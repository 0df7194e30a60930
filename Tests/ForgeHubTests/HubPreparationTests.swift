import ForgeHub
import ForgeImages
import Foundation
import Testing

/// The numbers of preprocessor_config.json make the input that transformers' processors make.
@Suite struct HubPreparationTests {
  struct Case: Decodable {
    let width: Int
    let height: Int
    let pixels: [UInt8]
    let values: [Float]
  }

  private func filter(_ preparation: HubPreparation) -> ResamplingFilter {
    switch preparation.filter {
    case .nearest: .nearest
    case .lanczos: .lanczos
    case .bilinear: .bilinear
    case .bicubic: .bicubic
    }
  }

  @Test(arguments: ["vit-classes", "clip", "dinov2-resized"]) func pictures(_ name: String) throws {
    let stated = try #require(try HubImageModel(contentsOf: Fixture.path(name)).preparation)
    let preparation = ImagePreparation(
      width: stated.width, height: stated.height,
      crop: stated.shorterSide.map { .shorterSideFloored($0) } ?? .none, filter: filter(stated),
      normalization: PixelNormalization(scale: stated.scale, bias: stated.bias))
    // The metadata of the model say the same.
    let model = try HubImageModel(contentsOf: Fixture.path(name)).model
    #expect(model.metadata.pictures["pixel_values"].map { ImagePreparation($0) } == preparation)
    #expect(preparation.stated == stated.stated(colors: 3))
    let cases: [Case] = try Fixture.decoded("\(name)/prepared.json")
    #expect(cases.count == 3)
    for one in cases {
      let image = try Image(
        width: one.width, height: one.height, format: .rgb, pixels: one.pixels)
      let values = try image.values(prepared: preparation).values
      try #require(values.count == one.values.count)
      // The bytes are the same; the library normalizes them in Float32.
      let difference = zip(values, one.values).map { abs($0 - $1) }.max() ?? .infinity
      #expect(difference <= 1e-6, "\(name), \(one.width)×\(one.height)")
    }
  }

  // MARK: Settings

  private func preparation(
    _ json: String, of name: String = "vit-features", file: String = "preprocessor_config.json"
  ) throws -> HubPreparation? {
    let folder = try Fixture.changed(name, [file: json])
    return try HubImageModel(contentsOf: folder.path).preparation
  }

  @Test func numbers() throws {
    let clip = try #require(try HubImageModel(contentsOf: Fixture.path("clip")).preparation)
    #expect(clip.shorterSide == 14)
    #expect(clip.filter == .bicubic)
    #expect(abs(clip.scale[0] - 1 / 255 / 0.26862954) < 1e-9)
    #expect(abs(clip.bias[2] + 0.40821073 / 0.27577711) < 1e-9)
    let plain = try #require(
      try preparation(#"{"size": 14, "image_mean": [0.5], "image_std": 0.5, "resample": 0}"#))
    #expect(plain.shorterSide == nil)
    #expect(plain.filter == .nearest)
    #expect(plain.scale == [1 / 255.0 / 0.5])
    #expect(plain.bias == [-1])
    #expect((plain.height, plain.width) == (14, 14))
    let old = try #require(
      try preparation(
        """
        {"size": 16, "do_center_crop": true, "crop_size": 14, "do_normalize": false,
         "resample": 1, "do_rescale": false}
        """))
    #expect(old.shorterSide == 16)
    #expect(old.filter == .lanczos)
    #expect(old.scale == [1])
    #expect(old.bias == [0])
    let mixed = try #require(
      try preparation(
        #"{"size": 14, "image_mean": [0, 0.5, 1], "image_std": [2], "resample": 2}"#))
    #expect(mixed.scale == [Double](repeating: 1 / 255.0 / 2, count: 3))
    #expect(mixed.bias == [0, -0.25, -0.5])
    #expect(try HubImageModel(contentsOf: Fixture.path("vit-features")).preparation == nil)
  }

  /// Values that a file leaves out are those of the processor that it names.
  @Test func standards() throws {
    let clip = try HubImageModel(contentsOf: Fixture.path("clip")).preparation
    let sizes = #""size": {"shortest_edge": 14}, "crop_size": 14, "do_center_crop": true"#
    for name in ["image_processor_type", "feature_extractor_type"] {
      let short = #"{"\#(name)": "CLIPFeatureExtractor", \#(sizes)}"#
      #expect(try preparation(short, of: "clip") == clip)
    }
    let vit = try HubImageModel(contentsOf: Fixture.path("vit-classes")).preparation
    let own = try #require(
      try preparation(#"{"image_processor_type": "ViTImageProcessor", "size": 14}"#))
    #expect(own.filter == vit?.filter)
    #expect(own.scale == [1 / 255.0 / 0.5])
    #expect(own.bias == [-1])
  }

  /// Newer folders have one file for all processors.
  @Test func processorFiles() throws {
    let url = URL(fileURLWithPath: Fixture.path("clip"))
    let text = try String(
      contentsOf: url.appendingPathComponent("preprocessor_config.json"), encoding: .utf8)
    let clip = try HubImageModel(contentsOf: url.path).preparation
    let file = "processor_config.json"
    #expect(
      try preparation(#"{"image_processor": \#(text)}"#, of: "clip-vision", file: file) == clip)
    #expect(try preparation(#"{"processor_class": "x"}"#, of: "clip", file: file) == clip)
    #expect {
      _ = try preparation(#"{"image_processor": {"resample": -1}}"#, of: "clip", file: file)
    } throws: { ($0 as? HubError)?.entry == "image_processor.resample" }
  }

  /// DINOv2 takes pictures of the size of its processor.
  @Test func sizesOfDINOv2() throws {
    let hub = try HubImageModel(contentsOf: Fixture.path("dinov2-resized"))
    #expect((hub.height, hub.width) == (20, 25))
    #expect(hub.preparation?.shorterSide == 26)
    for size in ["4", "16384", "{\"height\": 16384, \"width\": 16384}"] {
      let json =
        #"{"size": \#(size), "resample": 2, "do_normalize": false}"#
      #expect {
        _ = try preparation(json, of: "dinov2-features")
      } throws: { ($0 as? HubError)?.kind == .invalid && ($0 as? HubError)?.entry == "size" }
    }
  }

  @Test(arguments: [
    #"{"size": 15}"#, #"{"size": {"shortest_edge": 14}}"#, #"{"size": {"longest_edge": 14}}"#,
    #"{"size": 14, "do_resize": false}"#, #"{"size": {"height": 14}}"#, #"{"size": "14"}"#, "{}",
    #"{"do_center_crop": true, "crop_size": 13, "size": 14}"#,
    #"{"do_center_crop": true, "crop_size": 14, "size": 13}"#,
    #"{"do_center_crop": true, "size": 14}"#, #"{"size": 99999999999999999999}"#,
    #"{"do_center_crop": true, "crop_size": 14, "size": {"height": 15, "width": 14}}"#,
    #"{"size": 14, "resample": 9}"#, #"{"size": 14, "resample": 4}"#,
    #"{"size": 14, "resample": null, "image_processor_type": "x"}"#,
    #"{"size": 14, "image_mean": "x"}"#, #"{"size": 14, "image_mean": [1], "image_std": [0]}"#,
    #"{"size": 14, "image_mean": [1, 2], "image_std": [1, 2, 3]}"#, #"{"size": 14}"#,
    #"{"size": 14, "image_mean": [1], "image_std": [1e-320]}"#,
    #"{"size": 14, "image_mean": [1], "image_std": [1e999]}"#, "[]", "{", "",
  ])
  func settingsThatForgeLacks(_ json: String) throws {
    // A filter of its own, where the case is not about filters.
    let text =
      json.contains("resample") ? json : json.replacing("{\"", with: "{\"resample\": 2, \"")
    #expect { _ = try preparation(text) } throws: { $0 is HubError }
  }
}
