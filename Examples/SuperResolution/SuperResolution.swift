import ArgumentParser
import Forge
import ForgeImages
import ForgeImporters
import Foundation

/// Enlarges a photo three times with a network that adds detail.
@main
struct SuperResolution: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "SuperResolution",
    abstract: "Makes a photo three times as wide and as high, sharper than resizing does.",
    discussion: """
      A network of four convolutions enlarges the brightness; the colors are resized. Without a photo \
      it enlarges the kitten that ships with the example. With --compare it first makes the photo \
      three times smaller, and prints how close the network and bicubic resizing come to the \
      original.
      """)

  @Argument(help: "A photo: JPEG, PNG or PPM.")
  var photo: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("Where to write the picture.", valueName: "file"))
  var output = "large.png"

  @Option(help: ArgumentHelp("A network with the same input and output.", valueName: "onnx"))
  var network: String?

  @Option(help: "The maximum number of pixels of the photo.")
  var most = 1_000_000

  @Flag(help: "Reduce the photo first, and compare the result with it.")
  var compare = false

  func validate() throws {
    guard most > 0 else { throw ValidationError("most must be 1 or more") }
  }

  func run() throws {
    let resources = Bundle.module.bundleURL.appendingPathComponent("Resources")
    let path = photo ?? resources.appendingPathComponent("kitten.png").path
    var original = try Image(contentsOf: path).converted(to: .rgb)
    let scale = Enlarger.scale
    var small = original
    if compare {
      guard original.width >= scale, original.height >= scale else {
        throw ValidationError("\(path) is too small to be reduced")
      }
      let (width, height) = (original.width / scale, original.height / scale)
      original = try original.cropped(x: 0, y: 0, width: width * scale, height: height * scale)
      small = try original.resized(width: width, height: height, filter: .bicubic)
    }
    guard small.width.multipliedReportingOverflow(by: small.height).partialValue <= most else {
      throw ValidationError(
        "\(path) has \(small.width)×\(small.height) pixels: allow more with --most")
    }
    let enlarger = try Enlarger(
      network: network ?? resources.appendingPathComponent("network.onnx").path,
      width: small.width, height: small.height)
    let clock = ContinuousClock()
    let start = clock.now
    let large = try enlarger.enlarged(small)
    let milliseconds = (clock.now - start) / .milliseconds(1)
    try large.write(to: output)
    print(
      String(
        format: "%d×%d to %d×%d in %.1f ms", small.width, small.height, large.width, large.height,
        milliseconds))
    if compare {
      let resized = try small.resized(width: large.width, height: large.height, filter: .bicubic)
      print(String(format: "network  %.2f dB", large.peakSignalToNoise(against: original)))
      print(String(format: "bicubic  %.2f dB", resized.peakSignalToNoise(against: original)))
    }
    print("wrote \(output)")
  }
}
