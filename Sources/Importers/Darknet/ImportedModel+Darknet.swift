import Forge

/// A network of the program Darknet, such as a YOLO detector, and how to read its boxes.
///
/// ```swift
/// let darknet = try ImportedDarknet(cfg: "yolov4-tiny.cfg", weights: "yolov4-tiny.weights")
/// let network = try darknet.imported.model.compile()
/// let predictions = try network.predict(["data": pixels])
/// for detection in darknet.detections {
///   let boxes = predictions[detection.output]
/// }
/// ```
public struct ImportedDarknet: Sendable {
  /// The network, whose input `data` is an image with values from 0 to 1 in the order RGB.
  public let imported: ImportedModel
  /// The outputs with boxes, in the order of the outputs; empty for other networks.
  public let detections: [DarknetDetection]

  init(imported: ImportedModel, detections: [DarknetDetection]) {
    self.imported = imported
    self.detections = detections
  }

  /// Reads a configuration, and its weights if they are given.
  ///
  /// The weights are read when the model is compiled. Their number is checked now.
  ///
  /// - Parameters:
  ///   - configuration: the path of the `.cfg` file.
  ///   - weights: the path of the `.weights` file; without it, the model has no parameters.
  ///   - limits: limits on the files.
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge`, `invalidNode`
  ///   for a layer that does not fit its input, `unsupported` with every layer and option that
  ///   Forge lacks, or `parameter` for weights of a different size than the network needs.
  public init(
    cfg configuration: String, weights: String? = nil, limits: ImportLimits = ImportLimits()
  ) throws(ImportError) {
    for path in [configuration] + (weights.map { [$0] } ?? []) {
      try ImportError.checkContents(path, of: DarknetFormat.self)
    }
    let configuration = try DarknetConfiguration(path: configuration, limits: limits)
    var file: DarknetFile?
    if let weights {
      let opened: InputFile
      do throws(LoadError) { opened = try InputFile(path: weights) } catch {
        throw ImportError(loading: error)
      }
      try limits.check(fileBytes: opened.count, path: weights)
      file = try DarknetFile(opened, path: weights)
    }
    try self.init(configuration, file, limits)
  }

  /// Reads a configuration and weights in memory; messages name them by `path`.
  ///
  /// - Throws: ``ImportError``, as ``init(cfg:weights:limits:)``.
  package init(
    text: String, weights: [UInt8]?, path: String, limits: ImportLimits = ImportLimits()
  ) throws(ImportError) {
    let configuration = try DarknetConfiguration(text: text, path: path, limits: limits)
    var file: DarknetFile?
    if let weights {
      let copy: InputFile
      do throws(LoadError) { copy = try InputFile.copying(weights, name: path) } catch {
        throw ImportError(loading: error)
      }
      file = try DarknetFile(copy, path: path)
    }
    try self.init(configuration, file, limits)
  }

  private init(
    _ configuration: DarknetConfiguration, _ file: DarknetFile?, _ limits: ImportLimits
  ) throws(ImportError) {
    let place = SourcePlace(file: configuration.path)
    self = try SourcePlace.describing(for: place) { () throws(ImportError) in
      var importer = try DarknetImporter(
        configuration, isTransposed: file?.isTransposed ?? false)
      try importer.build()
      var parameters: DarknetParameters?
      if let file { parameters = try importer.places.parameters(in: file) }
      let result = importer.imported(parameters: parameters)
      var imported = try result.imported.limited(
        ImportOptions(limits: limits), hasWeights: false, path: configuration.path)
      imported.detections = result.detections
      return ImportedDarknet(imported: imported, detections: result.detections)
    }
  }
}

extension ImportedModel {
  /// Reads a network of the program Darknet; see ``ImportedDarknet``, which also describes boxes.
  ///
  /// - Parameters:
  ///   - configuration: the path of the `.cfg` file.
  ///   - weights: the path of the `.weights` file; without it, the model has no parameters.
  ///   - limits: limits on the files.
  /// - Throws: ``ImportError``, as ``ImportedDarknet/init(cfg:weights:limits:)``.
  public init(
    darknet configuration: String, weights: String? = nil, limits: ImportLimits = ImportLimits()
  ) throws(ImportError) {
    self = try ImportedDarknet(cfg: configuration, weights: weights, limits: limits).imported
  }
}

extension Model {
  /// Reads a network of the program Darknet with its weights.
  ///
  /// - Parameters:
  ///   - configuration: the path of the `.cfg` file.
  ///   - weights: the path of the `.weights` file; without it, the model has no parameters.
  ///   - limits: limits on the files.
  /// - Throws: ``ImportError``, as ``ImportedDarknet/init(cfg:weights:limits:)``.
  public init(
    darknet configuration: String, weights: String? = nil, limits: ImportLimits = ImportLimits()
  ) throws(ImportError) {
    self = try ImportedModel(darknet: configuration, weights: weights, limits: limits).model
  }
}
