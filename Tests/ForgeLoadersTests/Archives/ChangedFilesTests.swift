import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Files truncated and overwritten while they are read: values of one version, or an error.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ChangedFilesTests {
  private static let count = 1 << 20

  /// A file of equal values in some form.
  struct Form: Sendable, CustomStringConvertible {
    let description: String
    let bytes: @Sendable (Float) throws -> [UInt8]
    let read: @Sendable (String) throws -> [Float]
  }

  private static func raw(_ value: Float) -> [UInt8] {
    [Float](repeating: value, count: count).withUnsafeBytes { Array($0) }
  }

  static let forms: [Form] = {
    var forms = [
      Form(description: "raw", bytes: { raw($0) }) {
        try ParameterFile(path: $0, count: count).floats()
      },
      Form(description: "blob", bytes: { raw($0) }) {
        try BlobParameters($0, entries: []).data(at: 0, count: count).floats()
      },
      Form(
        description: "npy",
        bytes: { HostileStructureTests.array([Float](repeating: $0, count: count)) }
      ) { try NumPyArray(path: $0).values },
      Form(
        description: "safetensors",
        bytes: { value in
          let header =
            "{\"a\":{\"dtype\":\"F32\",\"shape\":[\(count)],\"data_offsets\":[0,\(count * 4)]}}"
          return HostileNamesTests.safetensors(header, data: raw(value))
        }
      ) { try SafeTensors($0).data(named: "a").floats() },
    ]
    #if Zip
      for isDeflated in [false, true] {
        forms.append(
          Form(
            description: isDeflated ? "npz, deflated" : "npz",
            bytes: { value in
              let content = HostileStructureTests.array([Float](repeating: value, count: count))
              var zip = ZipWriter()
              zip.add("a.npy", content, isDeflated: isDeflated)
              return zip.finish()
            }
          ) { try NumPyArray(path: $0, entry: "a").values })
      }
    #endif
    return forms
  }()

  /// A mapped file ended the process with SIGBUS in 7 of 28 tries.
  @Test(arguments: forms) func concurrentChangesGiveConsistentValuesOrErrors(_ form: Form) throws {
    let folder = try ScratchFolder()
    let versions = [try form.bytes(1), try form.bytes(2)]
    let path = try folder.write("file", versions[0])
    let isOver = Flag()
    let writer = Thread {
      var random = SplitMix64(seed: 7)
      var round = 0
      while !isOver.isSet {
        round += 1
        let version = versions[round % 2]
        let file = open(path, O_WRONLY)
        defer { close(file) }
        // Either a cut, or a copy over the old bytes, in pieces as a copying program writes them.
        if random.next() % 2 == 0 { ftruncate(file, off_t(random.next() % UInt64(version.count))) }
        version.withUnsafeBytes { bytes in
          for start in stride(from: 0, to: bytes.count, by: 1 << 18) {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(1 << 18))
            _ = pwrite(file, piece.baseAddress, piece.count, off_t(start))
          }
        }
        usleep(UInt32(random.next() % 4_000))
      }
      isOver.confirm()
    }
    writer.start()
    var whole = 0
    var errors: [LoadError.Kind: Int] = [:]
    let end = Date(timeIntervalSinceNow: 1.5)
    while Date() < end {
      do {
        let values = try form.read(path)
        #expect(values.count == Self.count)
        // A file that is only written over is never cut: both versions may be found, but not a mix
        // of them, unless the writer was in the midst of it before the file was opened.
        whole += 1
      } catch {
        let error = try #require(error as? LoadError)
        errors[error.kind, default: 0] += 1
        #expect([.damaged, .wrongSize, .unreadable].contains(error.kind), "\(error)")
      }
    }
    isOver.set()
    isOver.wait()
    #expect(whole + errors.values.reduce(0, +) > 0)
    #expect(errors[.damaged, default: 0] + errors[.wrongSize, default: 0] > 0)
  }

  /// Any change after opening is an error.
  @Test(arguments: forms) func changesAfterOpeningAreDetected(_ form: Form) throws {
    let folder = try ScratchFolder()
    let path = try folder.write("file", try form.bytes(1))
    let data: any ParameterData =
      switch form.description {
      case "raw": try ParameterFile(path: path, count: Self.count)
      case "blob": try BlobParameters(path, entries: []).data(at: 0, count: Self.count)
      case "npy": try NumPyArray(path: path).parameter()
      case "safetensors": try SafeTensors(path).data(named: "a")
      default: try archived(path)
      }
    #expect(try data.floats().allSatisfy { $0 == 1 })
    let direct = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.count * 4, alignment: 16)
    defer { direct.deallocate() }
    try data.read(into: direct)
    #expect(direct.bindMemory(to: Float.self).allSatisfy { $0 == 1 })
    // Memory of another size is refused, larger or smaller.
    for count in [0, Self.count * 4 - 4] {
      let part = UnsafeMutableRawBufferPointer(rebasing: direct[..<count])
      #expect(throws: LoadError.self) { try data.read(into: part) }
    }
    let file = open(path, O_WRONLY)
    var byte: UInt8 = 0
    #expect(pwrite(file, &byte, 1, off_t(try form.bytes(1).count - 1)) == 1)
    close(file)
    for _ in 0..<2 {
      let error = #expect(throws: LoadError.self) { try data.floats() }
      #expect(error?.headline == "the file was changed or replaced since it was opened")
      #expect(error?.kind == .damaged)
    }
    #expect(throws: LoadError.self) { try data.read(into: direct) }
  }

  private func archived(_ path: String) throws -> any ParameterData {
    #if Zip
      return try NumPyArray(path: path, entry: "a").parameter()
    #else
      return ParameterValues([])
    #endif
  }

  /// A flag between two threads, and a way to wait for the other's end.
  private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private let end = DispatchSemaphore(value: 0)
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
    func confirm() { end.signal() }
    func wait() { end.wait() }
  }
}
