import ArgumentParser
import Forge
import ForgeImages
import ForgeToolSupport

/// Turns one picture into another.
struct TransformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transform",
    abstract: "Turns one picture into another, such as one in the style of a painting.",
    discussion: """
      The network has one input and an output of height × width × 1, 3 or 4 channels. Where the \
      file leaves sizes open, the picture keeps its size as far as they allow.

      EXAMPLES
        forge transform candy.onnx street.jpg --preset raw --range 0..255 -o candy.png
        forge transform enhance.onnx photo.jpg --preset unitRange --keep-size -o better.jpg
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument

  @Argument(help: "The picture: JPEG, PNG or PPM.", completion: .file())
  var picture: String

  @OptionGroup var importing: ImportArguments
  @OptionGroup var pictures: PictureArguments
  @OptionGroup var caching: CacheArguments

  @Option(
    help: ArgumentHelp(
      "The values of black and white in the output.", valueName: "black..white"))
  var range = "0..1"

  @Flag(help: "Give the result the size of the picture.")
  var keepSize = false

  @Option(help: "Threads per prediction; may exceed the number of cores.")
  var threads: Int?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The picture to write: .png, .jpg or .ppm.", valueName: "file"))
  var output: String

  func validate() throws {
    try CompileOptions.Threads.check(threads)
    guard values != nil else {
      throw ValidationError("--range must be BLACK..WHITE, two finite numbers, such as 0..255")
    }
  }

  /// The values of black and white.
  private var values: ClosedRange<Float>? {
    guard let dots = range.firstRange(of: ".."),
      let black = Float(range[..<dots.lowerBound]), let white = Float(range[dots.upperBound...]),
      black.isFinite, white.isFinite, black < white
    else { return nil }
    return black...white
  }

  func run() throws {
    let network = try self.network.opened(importing, NetworkOptions(threads: threads, caching))
    let image = try Image(contentsOf: picture)
    let preparation = try pictures.preparation(network)
    let task = try ImageTask.transformer(
      network.compiled(tellsOfRandom: true), preparation: preparation,
      range: values ?? 0...1, keepsSize: keepSize)
    let made = try Progress.during("predicting") { try task.predict(image) }
    try made.write(to: output)
    print("\(output.printable)  \(made.width)×\(made.height)")
  }
}
