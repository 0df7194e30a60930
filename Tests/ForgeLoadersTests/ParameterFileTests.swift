import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

@Suite struct ParameterFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func readsWrittenValues() throws {
    let values: [Float] = [1, -2.5, .infinity, 0x1p-140, 0]
    try folder.write("conv1_W.bin", values)
    let file = try ParameterFile(
      directory: folder.path, name: "conv1", count: 5, suffix: "_W")
    #expect(file.count == 5)
    #expect(file.elementType == .float32)
    #expect(file.layout == .forge)
    #expect(file.sizes == nil)
    #expect(file.origin == folder.path + "/conv1_W.bin")
    #expect(try file.storedFloats() == values)
  }

  @Test func buildsFileName() throws {
    try folder.write("net.conv1.w.f32", [1])
    let file = try ParameterFile(
      directory: folder.path + "/", name: "conv1", count: 1, prefix: "net.", suffix: ".w",
      ext: "f32", layout: .keras)
    #expect(file.origin == folder.path + "/net.conv1.w.f32")
    #expect(file.layout == .keras)
    try folder.write("bare", [2])
    #expect(
      try ParameterFile(directory: folder.path, name: "bare", count: 1, ext: "").storedFloats() == [
        2
      ])
    #expect(try ParameterFile(path: folder.path + "/bare", count: 1).storedFloats() == [2])
  }

  @Test func acceptsCompileClosureArguments() throws {
    try folder.write("fc_W.bin", [1, 2])
    try folder.write("fc_b.bin", [3])
    let weights = folder.path
    let parameters: (String, Int, ParameterType) throws -> (any ParameterData)? = {
      name, count, type in
      try ParameterFile(
        directory: weights, name: name, count: count, suffix: type == .weights ? "_W" : "_b",
        ext: "bin")
    }
    #expect(try #require(try parameters("fc", 2, .weights)).storedFloats() == [1, 2])
    #expect(try #require(try parameters("fc", 1, .biases)).storedFloats() == [3])
  }

  /// Truncating a mapped file ends the process, so the file is read and its memory is reported.
  @Test func usesNoMemoryMapping() throws {
    let values = (0..<3_000_017).map { Float($0 % 9_973) }
    let path = try folder.write("large.bin", values)
    let file = try ParameterFile(path: path, count: values.count)
    #expect(file.temporaryByteCount == values.count * 4)
    try file.withUnsafeBytes { bytes in
      #expect(values.withUnsafeBytes { $0.elementsEqual(bytes) })
      #expect(residentBytes(of: path) == -1)
    }
    let direct = try [Float](unsafeUninitializedCapacity: values.count) { buffer, count in
      try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      count = values.count
    }
    #expect(direct == values)
    let few = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
    defer { few.deallocate() }
    #expect(throws: LoadError.self) { try file.read(into: few) }
  }

  /// The bytes of a mapped file that lie in this process's pages; -1 when it is not mapped.
  private func residentBytes(of path: String) -> Int {
    // Its size is said to be 0, so that Foundation's other ways read but its first bytes.
    let bytes = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd()
    let maps = String(decoding: bytes ?? Data(), as: UTF8.self)
    var isFile = false
    for line in maps.split(separator: "\n") {
      if line.contains("-") && line.contains(" r") { isFile = line.hasSuffix(path) }
      guard isFile, line.hasPrefix("Rss:") else { continue }
      return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 } ?? -1
    }
    return -1
  }

  @Test func readsFloat16() throws {
    // 1, −2, 65504 and the least denormal number as IEEE halves; 1, −2, 3.140625 and infinity as bfloat16.
    let halves: [(ElementType, [UInt16], [Float])] = [
      (.float16, [0x3c00, 0xc000, 0x7bff, 0x0001], [1, -2, 65504, 0x1p-24]),
      (.bfloat16, [0x3f80, 0xc000, 0x4049, 0x7f80], [1, -2, 3.140625, .infinity]),
    ]
    for (type, bits, values) in halves {
      let path = try folder.write(
        "half_W.bin", bytes: bits.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
      let file = try ParameterFile(
        directory: folder.path, name: "half", count: 4, suffix: "_W", elementType: type)
      #expect(file.elementType == type)
      #expect(try file.storedFloats() == values)
      let source = try ParameterDirectory(folder.path, elementType: type)
      let spec = ParameterSpec(layer: "half", .weights, [.channels: 4])
      #expect(try #require(try source.parameter(for: spec)).storedFloats() == values)
      let error = try loadError {
        _ = try ParameterFile(path: path, count: 5, elementType: type)
      }
      #expect(error.kind == .wrongSize)
      #expect(
        error.description == """
          \(path): the file has the wrong size
            received  8 bytes
            needs     10 bytes, 5 values of 2 bytes
            remedy    check that the file belongs to this layer and holds \(type.rawValue)
          """)
    }
  }

  @Test func acceptsEmptyFile() throws {
    try folder.write("none.bin", [Float]())
    #expect(try ParameterFile(directory: folder.path, name: "none", count: 0).storedFloats() == [])
  }

  /// The file is reopened when its values are used; a replacement has not been checked.
  @Test func rejectsReplacedFile() throws {
    let path = try folder.write("gone.bin", [4, 5])
    let file = try ParameterFile(path: path, count: 2)
    try FileManager.default.removeItem(atPath: path)
    #expect(try loadError { _ = try file.storedFloats() }.kind == .fileMissing)
    try folder.write("other.bin", [6, 7])
    #expect(rename(folder.path + "/other.bin", path) == 0)
    let error = try loadError { _ = try file.storedFloats() }
    #expect(error.kind == .damaged)
    #expect(
      error.description == """
        \(path): the file was changed or replaced since it was opened
          remedy    open it again
        """)
    #expect(try ParameterFile(path: path, count: 2).storedFloats() == [6, 7])
  }

  @Test func rejectsShrunkFile() throws {
    let path = try folder.write("short.bin", [4, 5])
    let file = try ParameterFile(path: path, count: 2)
    #expect(truncate(path, 4) == 0)
    let error = try loadError { _ = try file.storedFloats() }
    #expect(error.kind == .damaged)
    #expect(
      error.description == """
        \(path): the file has become shorter since it was opened
          received  4 bytes
          needs     8 bytes
          remedy    to change parameters, write another file and rename it
        """)
  }

  @Test func reportsMissingFile() throws {
    let error = try loadError {
      _ = try ParameterFile(directory: folder.path, name: "conv1", count: 1, suffix: "_W")
    }
    #expect(error.kind == .fileMissing)
    #expect(error.description == "\(folder.path)/conv1_W.bin: there is no such file")
    let relative = try loadError {
      _ = try ParameterFile(directory: "no/such/folder", name: "conv1", count: 1)
    }
    #expect(
      relative.description == """
        no/such/folder/conv1.bin: there is no such file
          remedy    a relative path starts at the folder the program was started in
        """)
  }

  @Test(arguments: [0, 5996, 5999, 6001, 12000])
  func reportsSizeMismatch(size: Int) throws {
    let path = try folder.write("conv1.bin", bytes: [UInt8](repeating: 0, count: size))
    let error = try loadError {
      _ = try ParameterFile(directory: folder.path, name: "conv1", count: 1500)
    }
    #expect(error.kind == .wrongSize)
    #expect(error.path == path)
    #expect(
      error.description == """
        \(path): the file has the wrong size
          received  \(size) bytes
          needs     6000 bytes, 1500 values of 4 bytes
          remedy    check that the file belongs to this layer and holds Float32
        """)
  }

  @Test func rejectsNonFiles() throws {
    let folderError = try loadError { _ = try ParameterFile(path: folder.path, count: 1) }
    #expect(folderError.kind == .notARegularFile)
    #expect(
      folderError.description == """
        \(folder.path): this is not a regular file
          received  a folder
        """)
    let deviceError = try loadError { _ = try ParameterFile(path: "/dev/zero", count: 1) }
    #expect(
      deviceError.description == """
        /dev/zero: this is not a regular file
          received  a device, pipe or socket
        """)
    // A pipe nobody writes to must not be waited for.
    let pipe = folder.path + "/pipe.bin"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(try loadError { _ = try ParameterFile(path: pipe, count: 1) }.kind == .notARegularFile)
  }

  @Test(arguments: ["../conv1", "/etc/passwd", "a/b", "..\0"])
  func rejectsPathTraversal(name: String) throws {
    let error = try loadError {
      _ = try ParameterFile(directory: folder.path, name: name, count: 1)
    }
    #expect(error.kind == .badName)
  }

  @Test func rejectsPathTraversalInNameParts() throws {
    let prefix = try loadError {
      _ = try ParameterFile(directory: folder.path, name: "a", count: 1, prefix: "../")
    }
    #expect(
      prefix.description == """
        \(folder.path): a file name must not lead to another folder
          received  "../a.bin"
          needs     a name without "/"
        """)
    let dots = try loadError {
      _ = try ParameterFile(directory: folder.path, name: ".", count: 1, suffix: ".", ext: "")
    }
    #expect(dots.kind == .badName)
    let empty = try loadError {
      _ = try ParameterFile(directory: folder.path, name: "", count: 1)
    }
    #expect(
      empty.description == """
        \(folder.path): a layer without a name has no file
          remedy    write name: "…" in the layer
        """)
    #expect(try loadError { _ = try ParameterFile(path: "a\0b", count: 1) }.kind == .badName)
  }

  @Test(arguments: [-1, Int.min, Int.max, Int.max / 4 + 1])
  func rejectsInvalidCounts(count: Int) throws {
    let path = try folder.write("a.bin", [1])
    #expect(try loadError { _ = try ParameterFile(path: path, count: count) }.kind == .wrongCount)
  }

  @Test func closesFiles() throws {
    let path = try folder.write("a.bin", [1])
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    let files = try (0..<500).map { _ in try ParameterFile(path: path, count: 1) }
    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    #expect(files.count == 500)
    // Other tests run at the same time and open some.
    #expect(after - before < 100)
  }
}
