import Forge
import ForgeImporters
import Foundation
import Testing

/// Files that are compiled with a cache: an unchanged file is not opened, and whatever changes is
/// seen.
@Suite struct ModelFileCompileTests {
  private typealias Writer = ONNXWriter

  /// A folder for one test, with a folder of the cache in it.
  private struct Place {
    let path = NSTemporaryDirectory() + "forge-files-\(UUID().uuidString)"
    var cache: String { path + "/cache" }
    var options: CompileOptions { CompileOptions(cache: CompileCache(directory: cache)) }

    static func with(_ body: (Place) throws -> Void) throws {
      let place = Place()
      try FileManager.default.createDirectory(
        atPath: place.path, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: place.path) }
      try body(place)
    }

    /// Writes a file in place, with a time of the last write long ago.
    func write(_ bytes: [UInt8], to name: String) throws {
      let handle = fopen("\(path)/\(name)", "r+") ?? fopen("\(path)/\(name)", "w")
      try #require(handle != nil)
      _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, handle) }
      fclose(handle)
      var times = [
        timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0),
      ]
      #expect(utimensat(AT_FDCWD, "\(path)/\(name)", &times, 0) == 0)
    }

    func paths(_ suffix: String) -> [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? []
      return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(cache)/\($0)" }
    }
  }

  /// Compiles a file; which files of the model were opened for it.
  private func compiled(
    _ file: ModelFile, _ options: CompileOptions
  ) throws -> (network: CompiledModel, opened: Int) {
    let log = FileLog()
    let network = try log.during { try file.compile(options: options) }
    return (network, log.files?.count ?? Int.max)
  }

  /// Waits until a change of a file would show.
  private func wait() { usleep(4_500_000) }

  /// `y = x + c`, with the constant in another file behind one number.
  private static let sum = Writer.model(
    [Writer.node("Add", ["x", "c"], ["y"])],
    stored: [Writer.external("c", at: "c.bin", offset: 4, sizes: [1, 4])])

  private static func weights(_ values: [Float]) -> [UInt8] {
    ([9] + values).flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
    }
  }

  @Test func filesOfAllFormats() throws {
    try Place.with { place in
      let names = [
        "ONNX/classifier.onnx", "ONNX/encoder.onnx", "ONNX/Quantized/classifier.onnx",
        "Keras/Activation.keras", "Keras/Attention1.h5", "CoreML/classifier.mlmodel",
        "CoreML/flattened.mlmodel", "Darknet/classifier.cfg",
      ].filter { FileManager.default.fileExists(atPath: ImporterFixtures.path($0)) }
      #expect(names.count >= 7)
      let files = try names.enumerated().map { index, name in
        let path = "\(index).\(name.split(separator: ".").last ?? "")"
        try place.write(try ImporterFixtures.bytes(name), to: path)
        var file = ModelFile("\(place.path)/\(path)")
        guard name.hasSuffix(".cfg") else { return file }
        let weights = try ImporterFixtures.bytes("Darknet/classifier.weights")
        try place.write(weights, to: "\(index).weights")
        file.weights = "\(place.path)/\(index).weights"
        return file
      }
      // Files that were written just now may be written again without a trace.
      for file in files { #expect(try compiled(file, place.options).opened > 0) }
      #expect(place.paths(".import").isEmpty)
      wait()
      for file in files {
        let (network, opened) = try compiled(file, place.options)
        #expect(opened > 0 && network.report.cache != nil)
      }
      for (name, file) in zip(names, files) {
        let plain = try file.imported().model.compile()
        let (network, opened) = try compiled(file, place.options)
        let isStored = try file.imported().model.compile(options: place.options).isCached
        #expect(opened == 0 || !isStored, "\(name)")
        guard network.isCached else { continue }
        #expect(network.summary(.detailed) == plain.summary(.detailed), "\(name)")
        #expect(network.metadata.labels == plain.metadata.labels)
        #expect(network.metadata.values == plain.metadata.values)
        #expect(network.inputNames == plain.inputNames)
        #expect(network.outputShapes == plain.outputShapes)
        var inputs: [String: TensorValues] = [:]
        for (name, shape) in zip(plain.inputNames, plain.inputShapes) {
          let count = try #require(shape.elementCount)
          inputs[name] = TensorValues(
            shape: shape, values: (0..<count).map { Float($0 % 3) * 0.5 })
        }
        let (expected, found) = (try plain.predict(inputs), try network.predict(inputs))
        for output in plain.outputNames {
          #expect(
            found[output]?.values.map(\.bitPattern) == expected[output]?.values.map(\.bitPattern))
        }
      }
    }
  }

  @Test func whatChangesIsSeen() throws {
    try Place.with { place in
      func answer(_ file: ModelFile) throws -> (values: [Float], opened: Int) {
        let (network, opened) = try compiled(file, place.options)
        return (try network.predict([1, 2, 3, 4]), opened)
      }
      try place.write(Self.sum, to: "a.onnx")
      try place.write(Self.weights([10, 20, 30, 40]), to: "c.bin")
      let file = ModelFile(place.path + "/a.onnx")
      wait()
      #expect(try answer(file).values == [11, 22, 33, 44])
      #expect(try answer(file) == ([11, 22, 33, 44], 0))
      // The file beside the model has other bytes, and the times that it had.
      try place.write(Self.weights([50, 20, 30, 40]), to: "c.bin")
      #expect(try answer(file).values == [51, 22, 33, 44])
      // It is another file.
      try place.write(Self.weights([60, 20, 30, 40]), to: "d.bin")
      #expect(rename(place.path + "/d.bin", place.path + "/c.bin") == 0)
      #expect(try answer(file).values == [61, 22, 33, 44])
      wait()
      #expect(try answer(file).opened > 0)
      #expect(try answer(file) == ([61, 22, 33, 44], 0))
      // It is missing: an error, as without a cache.
      #expect(rename(place.path + "/c.bin", place.path + "/e.bin") == 0)
      #expect(throws: ImportError.self) { try answer(file) }
      #expect(rename(place.path + "/e.bin", place.path + "/c.bin") == 0)
      // The model itself is another one.
      let product = Writer.model(
        [Writer.node("Mul", ["x", "c"], ["y"])],
        stored: [Writer.external("c", at: "c.bin", offset: 4, sizes: [1, 4])])
      #expect(product.count == Self.sum.count)
      try place.write(product, to: "a.onnx")
      #expect(try answer(file).values == [60, 40, 90, 160])
      // A link leads to it, then to another one.
      try place.write(Self.sum, to: "b.onnx")
      let link = ModelFile(place.path + "/link.onnx")
      wait()
      for (target, values) in [("a", [60, 40, 90, 160]), ("b", [61, 22, 33, 44])] {
        unlink(link.path)
        try FileManager.default.createSymbolicLink(
          atPath: link.path, withDestinationPath: "\(place.path)/\(target).onnx")
        for _ in 0..<2 { #expect(try answer(link).values == values.map { Float($0) }) }
      }
    }
  }

  @Test func optionsBelongToTheImport() throws {
    try Place.with { place in
      try place.write(
        Writer.model(
          [Writer.node("Add", ["x", "c"], ["y"])],
          inputs: [Writer.value("x", [1, 4]), Writer.value("c", [1, 4])]),
        to: "a.onnx")
      wait()
      func file(_ constant: Float) throws -> ModelFile {
        var file = ModelFile(place.path + "/a.onnx")
        file.options.constants["c"] = try StoredTensor(
          floats: [constant, 0, 0, 0], sizes: [1, 4])
        return file
      }
      for _ in 0..<2 {
        for constant in [1, 2, 0, -0.0] as [Float] {
          let network = try compiled(try file(constant), place.options).network
          #expect(try network.predict([1, 2, 3, 4]) == [1 + constant, 2, 3, 4])
        }
      }
      #expect(place.paths(".import").count == 4)
      #expect(try compiled(try file(1), place.options).opened == 0)
      // Options of the compile belong to it, too.
      for change in [
        { $0.keep = ["y"] }, { $0.checks = .finiteOutputs }, { $0.preference = .size },
      ]
        as [(inout CompileOptions) -> Void]
      {
        var options = place.options
        change(&options)
        #expect(try compiled(try file(1), options).opened > 0)
        #expect(try compiled(try file(1), options).opened == 0)
      }
      // Code in the options has no key, so that it always runs.
      var own = try file(1)
      own.options.onnxOperators["org.example::Cube"] = { _ in [] }
      for _ in 0..<2 { #expect(try compiled(own, place.options).opened > 0) }
      var data = try file(1)
      data.options.externalData = { _ in ExternalData([UInt8]()) }
      for _ in 0..<2 { #expect(try compiled(data, place.options).opened > 0) }
      // A mistake is one in spite of the cache.
      var wrong = place.options
      wrong.disabledRewrites = ["none such"]
      #expect(throws: CompileError.self) { try compiled(try file(1), wrong) }
    }
  }

  @Test func damagedRecords() throws {
    try Place.with { place in
      try place.write(Self.sum, to: "a.onnx")
      try place.write(Self.weights([10, 20, 30, 40]), to: "c.bin")
      let file = ModelFile(place.path + "/a.onnx")
      wait()
      func check() throws {
        let network = try compiled(file, place.options).network
        #expect(try network.predict([1, 2, 3, 4]) == [11, 22, 33, 44])
      }
      try check()
      let path = try #require(place.paths(".import").first)
      let url = URL(fileURLWithPath: path)
      let whole = try Data(contentsOf: url)
      for index in stride(from: 0, to: whole.count, by: 7) {
        var altered = whole
        altered[index] ^= UInt8(1 << (index % 8))
        try altered.write(to: url)
        #expect(
          try place.options.cache?.unusableEntries().map(\.entry.kind) == [.imported], "\(index)")
        try check()
        #expect(try Data(contentsOf: url) == whole)
        try whole.prefix(index).write(to: url)
        try check()
      }
      // A record of the same bytes under another name is none.
      var other = place.options
      other.maximumBatch = 7
      _ = try compiled(file, other)
      for record in place.paths(".import") where record != path {
        try whole.write(to: URL(fileURLWithPath: record))
      }
      let network = try compiled(file, other).network
      #expect(network.maximumBatch == 7)
      // The entry of a record is gone, or damaged.
      #expect(try compiled(file, place.options).opened == 0)
      for entry in place.paths(".forge") { unlink(entry) }
      try check()
      #expect(try compiled(file, place.options).opened == 0)
      for entry in place.paths(".forge") {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: entry))
        bytes[bytes.count - 3] ^= 1
        try bytes.write(to: URL(fileURLWithPath: entry))
      }
      try check()
      #expect(try compiled(file, place.options).opened == 0)
      try check()
    }
  }

  /// What needs the layers imports the file.
  @Test func layersAreThereWhenTheyAreNeeded() throws {
    try Place.with { place in
      try place.write(try ImporterFixtures.bytes("ONNX/classifier.onnx"), to: "a.onnx")
      let file = ModelFile(place.path + "/a.onnx")
      var options = place.options
      options.checks = .finiteOutputs
      wait()
      let plain = try file.compile(options: CompileOptions(checks: .finiteOutputs))
      _ = try compiled(file, options)
      let networks = try (0..<2).map { _ in
        let (network, opened) = try compiled(file, options)
        #expect(opened == 0 && network.isCached)
        return network
      }
      let shape = try #require(plain.inputShapes.first)
      let wrong = [Float](repeating: .infinity, count: try #require(shape.elementCount))
      let errors = [plain, networks[0]].map { network in
        #expect(throws: PredictionError.self) { try network.predict(wrong) }.map { "\($0)" }
      }
      #expect(errors[0] == errors[1])
      let copy = place.path + "/copy.forge"
      try networks[0].write(to: copy)
      let values = wrong.indices.map { Float($0 % 5) }
      #expect(try CompiledModel(contentsOf: copy).predict(values) == plain.predict(values))
      // A file that has changed has other layers, or none.
      let other = Writer.model([Writer.node("Relu", ["x"], ["y"])])
      for (bytes, text) in [(other, "has changed"), (Self.sum, "could not be imported again")] {
        try place.write(bytes, to: "b.onnx")
        #expect(rename(place.path + "/b.onnx", file.path) == 0)
        let error = #expect(throws: (any Error).self) {
          try networks[1].quantized(calibration: [[plain.inputNames[0]: values]])
        }
        #expect(error.map { "\($0)" }?.contains(text) == true, "\(error as Any)")
      }
      #expect(try networks[1].predict(values) == plain.predict(values))
    }
  }
}
