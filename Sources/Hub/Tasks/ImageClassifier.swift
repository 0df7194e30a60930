import Forge

/// Labels pictures with a network for image classification: ViT or DINOv2.
///
/// ```swift
/// let classifier = try ImageClassifier(contentsOf: "vit-base-patch16-224")
/// print(try classifier.classify(pixels)[0])
/// ```
/// The values of a picture are those that ``HubImageModel/preparation`` says. All threads can share
/// a classifier.
public struct ImageClassifier: Sendable {
  /// The folder.
  public let hub: HubImageModel
  /// The labels, in the order of the scores.
  public var labels: [String] { hub.labels }

  private let network: CompiledModel

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder; see ``HubImageModel``.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubImageModel``; `compile`.
  public init(
    contentsOf folder: String, options: CompileOptions = CompileOptions(),
    limits: HubLimits = HubLimits()
  ) throws(HubError) {
    hub = try HubImageModel(contentsOf: folder, head: .classification, limits: limits)
    network = try hub.compiled(options)
  }

  /// The labels of a picture with their scores, the best first.
  ///
  /// - Parameter pixels: the picture, [height][width][colors], as
  ///   ``HubImageModel/preparation`` says.
  /// - Returns: all labels.
  /// - Throws: ``HubError`` of kind `prediction`, including for a wrong number of values.
  public func classify(_ pixels: [Float]) throws(HubError) -> [RankedClass] {
    let scores = hub.labelList.scoring(try hub.predict(pixels, network))
    return scores.top(k: scores.count, labels: labels)
  }
}

extension HubImageModel {
  /// The compiled network.
  ///
  /// - Throws: ``HubError`` of kind `compile`.
  func compiled(_ options: CompileOptions) throws(HubError) -> CompiledModel {
    do throws(CompileError) { return try model.compile(options: options) } catch {
      throw .notCompiled(error, path)
    }
  }

  /// The only output for a picture.
  ///
  /// - Throws: ``HubError`` of kind `prediction`.
  func predict(_ pixels: [Float], _ network: CompiledModel) throws(HubError) -> [Float] {
    do throws(PredictionError) { return try network.predict(pixels) } catch {
      throw .notPredicted(error, path)
    }
  }
}
