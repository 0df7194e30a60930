import ArgumentParser
import Forge
import ForgeHub
import ForgeImages

/// Says the labels of picture files by a folder of the Hub.
struct PictureClassifier {
  private let preparation: ImagePreparation
  private let classify: ([[Float]]) throws -> [[RankedClass]]

  /// The most pictures in memory.
  private static let mostPictures = 32

  /// Reads a folder; `nil` if its network is not for pictures.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - labels: the labels, for a network that has none of its own.
  /// - Throws: `HubError`; `ValidationError` for labels that do not fit the network.
  init?(_ folder: String, labels: [String]) throws {
    let images: HubImageModel
    do throws(HubError) { images = try HubImageModel(contentsOf: folder) } catch {
      guard error.isOfOtherNetwork else { throw error }
      return nil
    }
    guard let stated = images.preparation else {
      throw ValidationError("\(folder.printable) has no preprocessor_config.json for pictures")
    }
    preparation = ImagePreparation(stated.stated(colors: images.colors))
    guard images.head == .embedding else {
      guard labels.isEmpty else { throw ValidationError("--label needs a CLIP network") }
      let classifier = try Progress.during("compiling \(folder)") {
        try ImageClassifier(contentsOf: folder)
      }
      classify = { try $0.map { try classifier.classify($0) } }
      return
    }
    guard labels.count > 1 else {
      throw ValidationError("CLIP has no labels of its own; give two or more with --label")
    }
    let encoder = try Progress.during("compiling \(folder)") {
      try ImageTextEncoder(contentsOf: folder)
    }
    classify = { try encoder.classify($0, as: labels) }
  }

  /// Calls a closure with the labels of each picture, the best first.
  func forEach(_ paths: [String], _ body: ([RankedClass]) -> Void) throws {
    for start in stride(from: 0, to: paths.count, by: Self.mostPictures) {
      let pictures = try paths[start..<min(start + Self.mostPictures, paths.count)].map {
        try Image(contentsOf: $0).values(prepared: preparation).values
      }
      for ranks in try classify(pictures) { body(ranks) }
    }
  }
}
