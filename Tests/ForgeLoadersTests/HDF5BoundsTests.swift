import ForgeLoaders
import ForgeShapes
import Testing

/// Valid files whose structure is expensive to read: time and memory stay proportional to the file.
///
/// Cost is counted in bytes of structure, at most eight per byte of file; errors state the exceeded
/// limit.
@Suite struct HDF5BoundsTests {
  /// Lists a file, and finds its layers.
  private func names(
    _ file: [UInt8], limits: LoadLimits = .init()
  ) throws -> [String] {
    // Far more than any of these takes, and far less than without bounds.
    let clock = ContinuousClock()
    let start = clock.now
    defer { #expect(clock.now - start < .seconds(30)) }
    let file = try HDF5File(bytes: file, limits: limits)
    _ = file.entries
    return try HDF5Parameters(file).availableNames
  }

  private func refusal(_ file: [UInt8]) throws -> LoadError {
    let error = try loadError { _ = try names(file) }
    #expect(error.kind == .refused, "\(error)")
    return error
  }

  // MARK: Lists of layers

  @Test func duplicateListedLayerIsRejected() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let layer = file.group((0..<60000).map { ("k\($0)", dataset) })
    let listed = [String](repeating: "a", count: 60000)
    let root = file.group([("a", layer)], [CraftedHDF5.texts("layer_names", listed)])
    let error = try loadError { _ = try names(file.file(root: root)) }
    #expect(error.kind == .damaged)
    #expect(error.received == "it lists the layer \"a\" twice")
  }

  @Test func manyNamesForOneLargeLayerAreRejected() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let layer = file.group((0..<20000).map { ("k\($0)", dataset) })
    let listed = (0..<5000).map { "a\($0)" }
    let root = file.group(
      listed.map { ($0, layer) }, [CraftedHDF5.texts("layer_names", listed)])
    #expect(try refusal(file.file(root: root)).remedy?.contains("LoadLimits") == true)
  }

  @Test func layersInSeparateGroupsAreFoundInLinearTime() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let lists = (0..<3).map { part in
      CraftedHDF5.texts(
        "weight_names\(part)", (0..<8000).map { "\(10000 + part * 8000 + $0)/k" })
    }
    let layer = file.group([("k", dataset)], lists)
    let root = file.group([("a", layer)], [CraftedHDF5.texts("layer_names", ["a"])])
    #expect(try names(file.file(root: root)).count == 24000)
  }

  @Test func layersExceedingFileBudgetAreRejected() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let lists = (0..<16).map { part in
      CraftedHDF5.texts(
        "weight_names\(part)", (0..<8000).map { "\(100_000 + part * 8000 + $0)/k" })
    }
    let layer = file.group([("k", dataset)], lists)
    let root = file.group([("a", layer)], [CraftedHDF5.texts("layer_names", ["a"])])
    #expect(try refusal(file.file(root: root)).remedy?.contains("LoadLimits") == true)
  }

  @Test func splitNameListsAreReadInLinearTime() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let layer = file.group([("k", dataset)], [CraftedHDF5.texts("weight_names", ["k"])])
    let listed = (0..<20000).map { "a\($0)" }
    let parts = listed.enumerated().map { CraftedHDF5.texts("layer_names\($0)", [$1]) }
    let root = file.group(listed.map { ($0, layer) }, parts)
    #expect(try names(file.file(root: root)).count == 20000)
  }

  @Test func attributeHeaderIsReadOnce() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let more = (0..<50000).map { CraftedHDF5.texts("x\($0)", ["a"]) }
    let layer = file.group(
      [("k", dataset)], [CraftedHDF5.texts("weight_names", ["k"])] + more)
    let listed = (0..<4000).map { "a\($0)" }
    let root = file.group(
      listed.map { ($0, layer) }, [CraftedHDF5.texts("layer_names", listed)])
    #expect(try names(file.file(root: root)).count == 4000)
  }

  @Test func stringHeapIsReadOnce() throws {
    var file = CraftedHDF5()
    let heap = file.heap("k", objects: 100_000)
    let dataset = file.dataset()
    let listed = (0..<1000).map { "g\($0)" }
    let groups = listed.map { name in
      (
        name,
        file.group([("k", dataset)], [CraftedHDF5.heapText("weight_names", length: 1, heap: heap)])
      )
    }
    let root = file.group(groups, [CraftedHDF5.texts("layer_names", listed)])
    #expect(try names(file.file(root: root)) == listed)
  }

  @Test func longSharedStringIsRejected() throws {
    var file = CraftedHDF5()
    let heap = file.heap(String(repeating: "k", count: 100_000), objects: 0)
    let dataset = file.dataset()
    let listed = (0..<2000).map { "g\($0)" }
    let groups = listed.map { name in
      (
        name,
        file.group(
          [("k", dataset)], [CraftedHDF5.heapText("weight_names", length: 100_000, heap: heap)])
      )
    }
    let root = file.group(groups, [CraftedHDF5.texts("layer_names", listed)])
    _ = try refusal(file.file(root: root))
  }

  // MARK: Values

  /// Listing the contents of a large file does not read its values.
  @Test func openingReadsStructureOnly() throws {
    var file = CraftedHDF5()
    let values = file.put([UInt8](repeating: 7, count: 1 << 23))
    let object = file.header(
      CraftedHDF5.datasetMessages([1 << 21], at: values, byteCount: 1 << 23))
    let root = file.group([("kernel", object)])
    let folder = try TemporaryFolder()
    let path = try folder.write("large.h5", bytes: file.file(root: root))
    let limits = LoadLimits(structureBytes: 4096)
    let opened = try HDF5File(path, limits: limits)
    #expect(opened.entries.count == 1)
    let data = try opened.data(at: "/kernel")
    #expect(data.temporaryByteCount == 1 << 23)
    try data.withUnsafeBytes { bytes in
      #expect(bytes.count == 1 << 23 && bytes.allSatisfy { $0 == 7 })
    }
  }

  // MARK: Headers

  @Test(arguments: [(1000, 100_000), (5000, 60_000), (20_000, 500_000)])
  func sharedHeaderContinuationsAreRejected(headers: Int, gaps: Int) throws {
    var file = CraftedHDF5()
    let messages = CraftedHDF5.datasetMessages([1], at: 96, byteCount: 4).joined()
    let block = messages + [UInt8](repeating: 0, count: 8 * gaps)
    let address = file.put(Array(block))
    let links = (0..<headers).map { number in
      ("k\(number)", file.header([CraftedHDF5.continuation(address, byteCount: block.count)]))
    }
    let root = file.group(links)
    let error = try refusal(file.file(root: root))
    #expect(error.received?.hasSuffix("bytes of structure") == true, "\(error)")
  }

  @Test func headerGapsCountAsMessages() throws {
    var file = CraftedHDF5()
    let gaps = [UInt8](repeating: 0, count: 8 * 70000)
    let object = file.header(
      CraftedHDF5.datasetMessages([1], at: 96, byteCount: 4) + [gaps])
    let root = file.group([("k", object)])
    let entries = try HDF5File(bytes: file.file(root: root)).entries
    #expect(entries.first?.problem?.received == "an object with more than 65536 messages")
  }

  @Test func aliasedDatasetIsReadOnce() throws {
    var file = CraftedHDF5()
    // A header as large as headers are, to be read once and not for each name.
    let filler = (0..<60000).map { _ in CraftedHDF5.message(0x12, []) }
    let values = file.put([0, 0, 0, 0])
    let object = file.header(
      CraftedHDF5.datasetMessages([1], at: values, byteCount: 4) + filler)
    let root = file.group((0..<20000).map { ("k\($0)", object) })
    let bytes = file.file(root: root)
    #expect(try HDF5File(bytes: bytes).entries.count == 20000)
  }

  // MARK: Names

  @Test(arguments: [(2000, 1_000_000), (12_000, 600_000), (60_000, 3_000_000)])
  func namesSharingSuffixesAreRejected(names: Int, length: Int) throws {
    var file = CraftedHDF5(leafK: 65535)
    let dataset = file.dataset()
    let group = file.groupOfSuffixes(names, length: length, object: dataset)
    #expect(try refusal(file.file(root: group)).remedy?.contains("nameBytes") == true)
    var soft = CraftedHDF5(leafK: 65535)
    let other = soft.groupOfSuffixes(names, length: length, object: nil)
    #expect(try refusal(soft.file(root: other)).remedy?.contains("nameBytes") == true)
  }

  @Test func longestNamesCountAllBytes() throws {
    var file = CraftedHDF5(leafK: 65535)
    let dataset = file.dataset()
    let group = file.groupOfSuffixes(4000, length: 4000, object: dataset)
    // Eight million bytes of names in 164,000 of the file.
    let bytes = file.file(root: group)
    let error = try refusal(bytes)
    #expect(error.received == "more than 16777216 bytes of structure")
    #expect(error.remedy == "raise structurePerByte in LoadLimits for a file that you trust")
    let limits = LoadLimits(structurePerByte: 512)
    #expect(try HDF5File(bytes: bytes, limits: limits).entries.count == 4000)
  }

  @Test func manyLongPathsAreRejected() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    var group = file.group((0..<20000).map { ("k\($0)", dataset) })
    for _ in 0..<7 { group = file.group([(String(repeating: "g", count: 500), group)]) }
    #expect(try refusal(file.file(root: group)).received?.hasSuffix("of structure") == true)
  }

  private func fileOfMarks(_ count: Int, layers: Int) -> (names: [String], file: [UInt8]) {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let marks = "e" + String(repeating: "\u{301}\u{327}", count: count / 2)
    let names = (0..<layers).map { "\(marks)\($0)" }
    let groups = names.map { ($0, file.group([("kernel", dataset)])) }
    let root = file.group(groups)
    return (names, file.file(root: root))
  }

  @Test func combiningMarkNamesAreComparedAsBytes() throws {
    let (listed, file) = fileOfMarks(100, layers: 10)
    #expect(try names(file).map { Array($0.utf8) } == listed.map { Array($0.utf8) })
    // Users hash names as strings, which takes the square of the marks.
    let many = fileOfMarks(1800, layers: 1000)
    #expect(try refusal(many.file).remedy?.contains("LoadLimits") == true)
  }

  /// Composed and decomposed letters are different bytes, and so different names.
  @Test func equivalentUnicodeNamesAreDistinct() throws {
    var file = CraftedHDF5()
    let dataset = file.dataset()
    let root = file.group([
      ("\u{e9}", file.group([("kernel", dataset)])),
      ("e\u{301}", file.group([("bias", dataset)])),
    ])
    let source = try HDF5Parameters(HDF5File(bytes: file.file(root: root)))
    #expect(source.availableNames.count == 2)
    #expect(try source.parameter(for: Specs.biases("e\u{301}", 1)) != nil)
    #expect(try source.parameter(for: Specs.biases("\u{e9}", 1)) == nil)
  }

  // MARK: Depth and links

  @Test func deeplyNestedGroupsAreRejected() throws {
    var file = CraftedHDF5()
    var group = file.group([("k", file.dataset())])
    for _ in 0..<100 { group = file.group([("g", group)]) }
    let bytes = file.file(root: group)
    #expect(try refusal(bytes).remedy?.contains("depth") == true)
    var limits = LoadLimits()
    limits.depth = 200
    #expect(try HDF5File(bytes: bytes, limits: limits).entries.count == 1)
  }

  @Test func longLinkChainsAreRejected() throws {
    var file = CraftedHDF5()
    let layer = file.group([("k", file.dataset())])
    // Each link goes to the next by a long way round.
    let way = String(repeating: "./", count: 2000)
    let chain = (0..<60).map { CraftedHDF5.softLink("l\($0)", way + "l\($0 + 1)") }
    let listed = (0..<8000).map { "a\($0)" }
    let links = listed.map { CraftedHDF5.softLink($0, "l0") }
    let root = file.group(
      [("l60", layer)], chain + links + [CraftedHDF5.texts("layer_names", listed)])
    _ = try refusal(file.file(root: root))
  }

  @Test func circularLinksAreRejected() throws {
    var file = CraftedHDF5()
    let root = file.group(
      [],
      [
        CraftedHDF5.softLink("a", "/b"), CraftedHDF5.softLink("b", "/a"),
        CraftedHDF5.softLink("c", "/c/c/c/c"), CraftedHDF5.softLink("d", "e/d"),
        CraftedHDF5.texts("layer_names", ["a"]),
      ])
    #expect(try refusal(file.file(root: root)).received == "links that lead in circles")
  }

  // MARK: Sizes

  @Test func impossibleSizesAreErrors() throws {
    for sizes: [UInt64] in [
      [1 << 40], [1 << 62, 2], [UInt64(Int.max)], [1 << 32, 1 << 32], [1 << 38],
      [UInt64](repeating: 1, count: 33),
    ] {
      var file = CraftedHDF5()
      let object = file.header(CraftedHDF5.datasetMessages(sizes, at: 96, byteCount: 4))
      let root = file.group([("k", object)])
      let error = try loadError {
        let file = try HDF5File(bytes: file.file(root: root))
        _ = try file.data(at: "/k").withUnsafeBytes { _ in }
      }
      #expect([.damaged, .refused].contains(error.kind), "\(sizes): \(error)")
    }
  }

  @Test func unwrittenValuesAreBoundedByFileSize() throws {
    var file = CraftedHDF5()
    let object = file.header(
      CraftedHDF5.datasetMessages([1 << 30], at: -1, byteCount: 1 << 32))
    let root = file.group([("k", object)])
    let bytes = file.file(root: root)
    let data = try HDF5File(bytes: bytes).data(at: "/k")
    let error = try loadError { try data.withUnsafeBytes { _ in } }
    #expect(error.kind == .refused)
    #expect(error.received == "4294967296 bytes of values")
    #expect(error.remedy == "raise inflatedPerByte in LoadLimits for a file that you trust")
  }
}
