import Forge
import ForgeImporters
import ForgeModels
import ForgeToolSupport
import Foundation
import Testing

/// Compiled files and caches as what commands predict with.
@Suite struct OpenedNetworkTests {
  /// A folder for one test.
  private static func withFolder(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "forge-opened-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  private static let options = CompileOptions(threads: .exactly(1))

  /// A file of the tests with its inputs.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let model: Data
    let isBatch: Bool
    let inputs: [String: StatedGraphTests.Stored]
    var testDescription: String { name }
  }

  static let cases =
    FileBatchTests.cases.filter { $0.batch > 0 }.map {
      Case(name: $0.name, model: $0.model, isBatch: false, inputs: $0.inputs)
    }
    + StatedGraphTests.cases.filter(\.error.isEmpty).map {
      Case(name: $0.name, model: $0.model, isBatch: $0.batch, inputs: $0.inputs)
    }

  private func arrays(
    _ run: NetworkRun, _ test: Case
  ) throws -> [(name: String, array: StoredTensor)] {
    let given = try test.inputs.mapValues { NetworkRun.Given.array(try $0.tensor()) }
    let results = try run.results(try run.examples(given, isBatch: test.isBatch))
    return try run.arrays(of: results, isBatch: test.isBatch)
  }

  /// The outputs of a compiled file have the names, sizes, types and bits of those of the model.
  @Test(arguments: cases)
  func aCompiledFilePredictsAsItsModel(_ test: Case) throws {
    try Self.withFolder { folder in
      try test.model.write(to: URL(filePath: "\(folder)/net.onnx"))
      let imported = try ModelFile("\(folder)/net.onnx").imported()
      // A file whose outputs are all known has no network.
      guard !imported.outputs.isEmpty else { return }
      let network = try imported.model.compile(options: Self.options)
      // Open sizes have no place in a compiled file.
      guard imported.model.openSizes == nil else { return }
      try network.write(to: "\(folder)/net.forge")
      let opened = try OpenedNetwork(compiledFile: "\(folder)/net.forge")
      #expect(opened.isCompiledFile && !opened.isFromCache && !opened.isRandom)
      #expect(opened.interface == FileInterface(imported))
      #expect(opened.outline == NetworkOutline(Inference(imported.model)))
      #expect(opened.summary(.detailed) == network.summary(.detailed))
      let run = try NetworkRun(opened.interface, metadata: opened.metadata) {
        try opened.compiled()
      }
      let found = try arrays(run, test)
      let expected = try arrays(NetworkRun(imported) { network }, test)
      #expect(found.map(\.name) == expected.map(\.name))
      #expect(found.map(\.array) == expected.map(\.array))
    }
  }

  /// A network that is not from a file has its own axes; one that was changed, too.
  @Test func theInterfaceIsThatOfTheNetwork() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/net.forge"
      try Model.leNet().compile(parameters: RandomParameters(seed: 1), options: Self.options)
        .write(to: path)
      let interface = try OpenedNetwork(compiledFile: path).interface
      #expect(interface.inputs.map(\.sizes) == [[1, 28, 28, 1]])
      #expect(interface.inputs.map(\.axes) == [[1, 2, 3]])
      #expect(interface.outputs.count == 1)

      let test = try #require(Self.cases.first { $0.name.contains("conv") } ?? Self.cases.first)
      try test.model.write(to: URL(filePath: "\(folder)/net.onnx"))
      let imported = try ModelFile("\(folder)/net.onnx").imported()
      let changed = imported.model --> Activation(.relu)
      try changed.compile(options: Self.options).write(to: path)
      let own = try OpenedNetwork(compiledFile: path)
      #expect(own.interface.inputs.map(\.axes.count) == own.inputShapes.map { $0?.rank })
      #expect(own.metadata.interface.isEmpty)
      #expect(own.interface.inputs.allSatisfy { $0.sizes.first == 1 && $0.axes.first == 1 })
    }
  }

  /// What a compiled file fixes is an error that says what to do.
  @Test func aFileFixesThreadsAndExamples() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/net.forge"
      let options = CompileOptions(maximumBatch: 2, threads: .exactly(2))
      try Model.leNet().compile(parameters: RandomParameters(seed: 1), options: options)
        .write(to: path)
      for threads in [1, 2] {
        let network = try OpenedNetwork(compiledFile: path, threads: threads).compiled()
        #expect(network.threads == threads)
      }
      let threads = #expect(throws: ToolError.self) {
        _ = try OpenedNetwork(compiledFile: path, threads: 3)
      }
      #expect(
        threads?.description == """
          \(path): the compiled file is planned for fewer threads
            received  --threads 3
            needs     at most 2
            remedy    compile the model again with --threads 3
          """)
      let opened = try OpenedNetwork(compiledFile: path)
      #expect(opened.usualBatch == 1)
      try opened.check(batch: 2)
      let examples = #expect(throws: ToolError.self) { try opened.check(batch: 3) }
      #expect(examples?.kind == .fixedByFile)
      #expect(
        ToolError.fixed(["--size", "--precision"], by: "net.forge").description == """
          net.forge: a compiled file fixes what these arguments choose
            received  --size, --precision
            remedy    leave them out, or give the model that the file was compiled from
          """)
      #expect(
        ToolError.noLayers(in: "net.forge").description == """
          net.forge: a compiled file does not hold the layers and weights of its model
            needs     a model file
            remedy    pass the file that it was compiled from
          """)
    }
  }

  /// A file that is damaged or not a compiled one is an error of the compile.
  @Test func aDamagedFileIsAnError() throws {
    try Self.withFolder { folder in
      let url = URL(filePath: "\(folder)/net.forge")
      try Model.leNet().compile(parameters: RandomParameters(seed: 1), options: Self.options)
        .write(to: url.path)
      var bytes = try Data(contentsOf: url)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: url)
      let error = #expect(throws: CompileError.self) {
        _ = try OpenedNetwork(compiledFile: url.path)
      }
      #expect(error.map { "\($0)" }?.contains("the compiled file is damaged") == true)
    }
  }

  /// The cache has the network of an unchanged file before the file is read, with its interface.
  @Test func theCacheKnowsAnUnchangedFile() throws {
    try Self.withFolder { folder in
      let url = URL(filePath: "\(folder)/net.onnx")
      let test = try #require(FileBatchTests.batches.first)
      try test.model.write(to: url)
      // Files that were just written are not remembered.
      usleep(4_500_000)
      var options = Self.options
      options.cache = CompileCache(directory: "\(folder)/cache")
      let file = ModelFile(url.path)

      func compile(
        _ file: ModelFile, otherWeights: String? = nil, _ options: CompileOptions
      ) -> FileCompile {
        file.fileCompile(options, otherWeights: otherWeights) { try file.imported().model }
      }
      let first = compile(file, options)
      #expect(OpenedNetwork(cached: first, title: url.path) == nil)
      let imported = try first.reading { try file.imported() }
      let network = Network(imported: imported, title: url.path, isReady: false)
      let fresh = OpenedNetwork(network, options: options, file: first)
      #expect(!fresh.isFromCache && fresh.opening == .zero)
      #expect(try !fresh.compiled().isCached)

      let log = FileLog()
      let found = log.during { OpenedNetwork(cached: compile(file, options), title: url.path) }
      let known = try #require(found)
      #expect(known.isFromCache && !known.isCompiledFile)
      #expect(known.interface == FileInterface(imported))
      #expect(known.usualBatch == test.batch)
      #expect(log.files?.isEmpty == true)

      // A file that is written from the cache is that of the network without one.
      try known.compiled().write(to: "\(folder)/cached.forge")
      options.cache = nil
      try imported.model.compile(options: options).write(to: "\(folder)/fresh.forge")
      let files = try ["cached", "fresh"].map {
        try Data(contentsOf: URL(filePath: "\(folder)/\($0).forge"))
      }
      #expect(files[0] == files[1])

      // Whatever changes the import or the plan leads to another record.
      options.cache = CompileCache(directory: "\(folder)/cache")
      var sized = file
      sized.options.sizes["x"] = [1, 2, 3]
      var bound = file
      bound.options.constants["x"] = try StoredTensor(floats: [1])
      var trusted = file
      trusted.options.limits = .trusted
      var named = file
      named.options.function = "main"
      var built = file
      built.options.onnxOperators["Relu"] = { _ in [] }
      for other in [sized, bound, trusted, named, built] {
        #expect(OpenedNetwork(cached: compile(other, options), title: "") == nil)
      }
      #expect(
        OpenedNetwork(cached: compile(file, otherWeights: "w.npz", options), title: "") == nil)
      for change: (inout CompileOptions) -> Void in [
        { $0.maximumBatch = 3 }, { $0.precision = .halfWeights }, { $0.preference = .size },
        { $0.threads = .exactly(2) },
      ] {
        var other = options
        change(&other)
        #expect(OpenedNetwork(cached: compile(file, other), title: "") == nil)
      }
    }
  }
}
