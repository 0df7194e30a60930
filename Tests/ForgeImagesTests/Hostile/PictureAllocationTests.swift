import ForgeImages
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The limits on memory and time that ``ImageLimits`` states, measured in separate processes.
@Suite(.serialized) struct PictureAllocationTests {
  /// What a process takes besides the file and the picture.
  static let mostBytes = ImageLimits().maximumWorkingBytes + (8 << 20)
  /// Seconds of processor time that no picture within the limits may take: one for 2²⁴ pixels.
  static let mostSeconds = Double(ImageLimits().maximumPixels) / Double(1 << 24)

  @Test(arguments: HostilePicture.all.indices)
  func decodingIsBounded(_ index: Int) async {
    await #expect(processExitsWith: .success) { [index] in
      let picture = HostilePicture.all[index]
      let bytes = picture.make()
      var outcome: HostilePicture.Outcome?
      let cost = try ProcessCost {
        do throws(ImageError) {
          let image = try Image(decoding: bytes)
          outcome = .picture(width: image.width, height: image.height, image.format)
        } catch {
          outcome = .error(error.kind)
        }
      }
      #expect(outcome == picture.outcome, "\(picture.name)")
      let most = picture.outcome.byteCount + PictureAllocationTests.mostBytes
      #expect(cost.peakBytes <= most, "\(picture.name): \(cost.peakBytes) bytes")
      #expect(cost.seconds <= PictureAllocationTests.mostSeconds, "\(picture.name)")
    }
  }

  /// Preparing an input takes at most one additional RGB picture.
  @Test(arguments: HostilePicture.all.indices)
  func preparationIsBounded(_ index: Int) async {
    guard case .picture = HostilePicture.all[index].outcome else { return }
    await #expect(processExitsWith: .success) { [index] in
      let picture = HostilePicture.all[index]
      let image = try Image(decoding: picture.make())
      let preparation = ImagePreparation(width: 224, height: 224, normalization: .keras(.tf))
      let cost = try ProcessCost {
        let values = try image.values(prepared: preparation)
        #expect(values.values.count == 224 * 224 * 3)
      }
      let most = image.width * image.height * 3 + (40 << 20)
      #expect(cost.peakBytes <= most, "\(picture.name): \(cost.peakBytes) bytes")
      #expect(cost.seconds <= PictureAllocationTests.mostSeconds, "\(picture.name)")
    }
  }

  /// Pictures of 16 to 24 MB; the progressive one takes 36 MB more.
  static let ordinary: [@Sendable () -> [UInt8]] = [
    { FlatJPEG(width: 2048, height: 4096, components: 4).bytes },
    {
      let scans = FlatJPEG.usualScans(components: 1)
      return HostilePicture.progressive(scans, components: 1, side: 4096).bytes
    },
    { FlatPNG(width: 2048, height: 2048, bits: 1, color: .palette, isTransparent: true).bytes },
  ]

  /// With too little memory decoding fails and reports the requested size; with enough it succeeds.
  @Test(arguments: ordinary.indices)
  func lackOfMemoryIsAnError(_ index: Int) async {
    await #expect(processExitsWith: .success) { [index] in
      let bytes = PictureAllocationTests.ordinary[index]()
      var kinds: [ImageError.Kind?] = []
      for megabytes in stride(from: 0, through: 160, by: 5) {
        let space = try ProcessCost.addressSpace() + (megabytes << 20)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        let before = limit.rlim_cur
        limit.rlim_cur = rlim_t(space)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        defer {
          limit.rlim_cur = before
          setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        }
        do throws(ImageError) {
          let image = try Image(decoding: bytes)
          _ = try image.resized(width: 2000, height: 2000)
          _ = try image.converted(to: image.format == .gray ? .rgb : .gray)
          kinds.append(nil)
        } catch {
          kinds.append(error.kind)
          #expect(error.needs?.hasSuffix(" bytes") == true, "\(error)")
        }
      }
      #expect(kinds.first == .some(.outOfMemory))
      #expect(kinds.last == .some(nil))
      #expect(kinds.allSatisfy { $0 == nil || $0 == .outOfMemory }, "\(kinds)")
    }
  }
}
