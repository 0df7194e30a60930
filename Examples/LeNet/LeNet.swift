import ArgumentParser
import Forge
import Foundation

/// Reads handwritten digits with a trained LeNet.
@main
struct LeNet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "LeNet",
    abstract: "Reads handwritten digits with a trained LeNet.",
    discussion: """
      Without arguments it reads the pictures that ship with it. With --mnist it also reads the \
      10,000 MNIST test digits from their IDX files (gzip or plain). With --parameters it takes the \
      weights from a folder of raw files in the 2017 toolkit's layout: conv1_W.bin, conv1_b.bin, …
      """)

  @Option(help: ArgumentHelp("A folder with the MNIST test files.", valueName: "dir"))
  var mnist: String?

  @Option(help: ArgumentHelp("A folder with raw float32 parameter files.", valueName: "dir"))
  var parameters: String?

  func run() throws {
    let network = try LeNetwork.compiled(
      parameters: parameters, shipped: resource("lenet.h5").path)
    print(network.summary())
    print()
    for url in pictures() {
      let picture = try GrayPicture(pgm: url)
      try show(picture, name: url.deletingPathExtension().lastPathComponent, network: network)
    }
    if let mnist { try readMNIST(URL(fileURLWithPath: mnist), network: network) }
  }

  /// A picture as text with the three likeliest digits beside it.
  private func show(_ picture: GrayPicture, name: String, network: CompiledModel) throws {
    let probabilities = try network.predict(picture.values)
    var notes = ["\(name):"]
    for digit in probabilities.top(k: 3) {
      // Damaged weights may give NaN, which has no length.
      let share = digit.probability.isFinite ? max(digit.probability, 0) : 0
      let percent = String(format: "%5.1f %%", digit.probability * 100)
      let bar = String(repeating: "█", count: Int((share * 20).rounded()))
      notes.append("  \(digit.index)  \(percent)  \(bar)")
    }
    for (row, line) in picture.lines.enumerated() {
      let note = notes.indices.contains(row - 4) ? "   " + notes[row - 4] : ""
      print(line + note)
    }
  }

  /// Accuracy and digits per second over the MNIST test digits.
  private func readMNIST(_ directory: URL, network: CompiledModel) throws {
    let digits = try MNIST(directory: directory)
    let training = try trainingIndices()
    let context = try Context(network)
    var correct = (all: 0, heldOut: 0)
    var heldOut = 0
    var output = [Float](repeating: 0, count: 10)
    var elapsed = Duration.zero
    let clock = ContinuousClock()
    for (index, picture) in digits.pictures.enumerated() {
      let values = picture.values
      let start = clock.now
      var span = output.mutableSpan
      try context.predict(values.span, into: &span)
      elapsed += clock.now - start
      let isCorrect = output.top(k: 1).first?.index == digits.labels[index]
      correct.all += isCorrect ? 1 : 0
      if !training.contains(index) {
        heldOut += 1
        correct.heldOut += isCorrect ? 1 : 0
      }
      if (index + 1).isMultiple(of: 100) || index + 1 == digits.pictures.count {
        progress(index + 1, of: digits.pictures.count)
      }
    }
    let count = digits.pictures.count
    print("MNIST: \(share(correct.all, of: count)) read correctly")
    if parameters == nil {
      print("       \(share(correct.heldOut, of: heldOut)) of those never seen in training")
    }
    let seconds = elapsed / .seconds(1)
    print(
      String(
        format: "       %.0f digits per second, one at a time, on one core", Double(count) / seconds
      ))
  }

  private func share(_ part: Int, of whole: Int) -> String {
    String(
      format: "%d of %d digits (%.2f %%)", part, whole, 100 * Double(part) / Double(max(whole, 1)))
  }

  /// A progress bar on standard error, where that is a terminal.
  private func progress(_ done: Int, of total: Int) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let width = 40
    let filled = done * width / max(total, 1)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let end = done == total ? "\n" : ""
    FileHandle.standardError.write(Data("\r\(bar) \(done)/\(total)\(end)".utf8))
  }

  // MARK: Files that ship with the example

  private func resource(_ name: String) -> URL {
    Bundle.module.bundleURL.appendingPathComponent("Resources").appendingPathComponent(name)
  }

  private func pictures() -> [URL] {
    let order = [
      "zero", "one", "two", "two-looped", "three", "four", "five", "six", "seven",
      "seven-slanted", "eight", "nine",
    ]
    let folder = resource("digits")
    return order.map { folder.appendingPathComponent($0 + ".pgm") }
  }

  /// The MNIST digits the shipped weights were trained on.
  private func trainingIndices() throws -> Set<Int> {
    let text = try String(contentsOf: resource("training_indices.txt"), encoding: .utf8)
    return Set(text.split(whereSeparator: \.isNewline).compactMap { Int($0) })
  }
}
