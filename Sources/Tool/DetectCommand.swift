import ArgumentParser
import Forge
import ForgeImages
import ForgeImporters
import ForgeToolSupport
import FoundationEssentials

/// Finds the objects in pictures.
struct DetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Finds the objects in pictures, prints their boxes and draws them.",
    discussion: """
      Detectors of Darknet are decoded as their file says. Other files have one output of boxes: \
      (4 + classes, candidates) as YOLO version 8 and 11, (candidates, 5 + classes) as version 5 \
      and 7, or (up to 1000 rows, 6) as version 10. They receive the whole picture, padded \
      with gray borders, with values from 0 to 1, unless --preset says otherwise.

      EXAMPLES
        forge detect yolov8n.onnx street.jpg --labels coco.names -o boxes.png
        forge detect yolo.cfg --weights yolo.weights dog.jpg --labels coco.names
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument

  @Argument(
    help: ArgumentHelp("The pictures: JPEG, PNG or PPM.", valueName: "picture"),
    completion: .file())
  var files: [String]

  @OptionGroup var importing: ImportArguments
  @OptionGroup var pictures: PictureArguments
  @OptionGroup var caching: CacheArguments

  @Option(help: LabelsFile.help)
  var labels: String?

  @Option(help: "The score that a box must exceed.")
  var score: Float = 0.25

  @Option(help: "The overlap from which two boxes of a class count as one object.")
  var iou: Float = 0.45

  @Option(help: "Threads per prediction; may exceed the number of cores.")
  var threads: Int?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Where to draw the boxes: a picture, or a folder for several.", valueName: "file|folder"))
  var output: String?

  func validate() throws {
    try CompileOptions.Threads.check(threads)
    guard score.isFinite, (0...1).contains(iou) else {
      throw ValidationError("--score must be a number and --iou a number from 0 to 1")
    }
    guard !files.isEmpty else { throw ValidationError("give a picture") }
  }

  func run() throws {
    let detector = try detector()
    let task = detector.task
    let labels = try self.labels.map { try LabelsFile.names(at: $0) } ?? detector.labels
    if files.count > 1, let output {
      try FileManager.default.createDirectory(
        atPath: output, withIntermediateDirectories: true)
    }
    for file in files {
      let image = try Image(contentsOf: file)
      let boxes = try task.predict(image)
      if files.count > 1 { print("\(file.printable):") }
      for box in boxes { print(Self.line(box, image, labels)) }
      if boxes.isEmpty { print("nothing with a score above \(score)") }
      if let output {
        var canvas = try Canvas(image)
        canvas.draw(boxes, labels: labels)
        let name = file.split(separator: "/").last.map(String.init) ?? file
        try canvas.image().write(to: files.count > 1 ? "\(output)/\(name)" : output)
      }
    }
  }

  /// The label, the score and the pixels of a box: `person  0.98  12, 30 to 200, 310`.
  private static func line(_ box: DetectedBox, _ image: Image, _ labels: [String]) -> String {
    let name = labels.indices.contains(box.label) ? labels[box.label] : "\(box.label)"
    let rectangle = box.rectangle(width: image.width, height: image.height)
    let ends = [
      rectangle.x, rectangle.y, rectangle.x + rectangle.width, rectangle.y + rectangle.height,
    ].map { Int($0.rounded()) }
    return "\(name.printable)  \(Float((box.score * 1000).rounded() / 1000))  "
      + "\(ends[0]), \(ends[1]) to \(ends[2]), \(ends[3])"
  }

  // MARK: Detectors

  private typealias Detector = (task: ImageTask<[DetectedBox]>, labels: [String])

  private func detector() throws -> Detector {
    let network = try self.network.opened(importing, NetworkOptions(threads: threads, caching))
    let detections = network.interface.detections
    // The form of an output is reported before the weights are read.
    let output = detections.isEmpty ? try BoxOutput(network.interface) : nil
    var preparation = try pictures.preparation(network, preset: .unitRange)
    let compiled = try network.compiled(tellsOfRandom: true)
    guard let output else {
      let task = try ImageTask.detector(
        compiled, preparation: preparation, minimumScore: score, iou: iou
      ) { predictions, minimumScore in
        try detections.flatMap { try $0.boxes(in: predictions, minimumScore: minimumScore) }
      }
      return (task, network.metadata.labels)
    }
    let isStated = pictures.preset == nil && !network.metadata.pictures.isEmpty
    if !isStated, pictures.crop != .center {
      preparation.crop = .letterbox(PixelColor(gray: 114))
    }
    preparation.size = BoxOutput.pictureSize(network)
    let (score, iou) = (score, iou)
    let task = try ImageTask(compiled, preparation: preparation) { predictions, geometry in
      let boxes = try output.boxes(predictions, input: geometry.input, minimumScore: score)
      return geometry.source(boxes.suppressed(iou: iou))
    }
    return (task, network.metadata.labels)
  }
}
