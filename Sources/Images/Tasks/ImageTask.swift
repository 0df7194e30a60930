import Forge

/// A network for pictures, with its preparation and read-out.
///
/// A task takes a picture from a file, from memory or from a camera, prepares it, predicts, and
/// reads the outputs: classes, boxes, another picture, or what a closure of yours returns.
///
/// ```swift
/// let classifier = try ImageTask.classifier(
///   network, preparation: .torchvision(), labels: ["cat", "dog"])
/// print(try classifier.predict(contentsOf: "cat.jpg"))  // [cat: 0.93, dog: 0.07]
/// ```
/// A task is a stateless value. It predicts on any thread, one picture at a time, in batches, or in
/// a `Runner`.
public struct ImageTask<Reading: Sendable>: Sendable {
  /// Reads the outputs of one picture.
  public typealias Reader =
    @Sendable (_ predictions: Predictions, _ geometry: ImageGeometry) throws -> Reading

  /// The network.
  public let network: CompiledModel
  /// What is done with each picture before the network.
  public let preparation: ImagePreparation
  /// The name of the input that receives the picture.
  public let input: String
  private let shape: Shape
  private let openAxes: [OpenAxis]
  let read: Reader

  /// Creates a task that reads the outputs with a closure.
  ///
  /// ```swift
  /// let depth = try ImageTask(network, preparation: .torchvision()) { predictions, geometry in
  ///   try predictions["depth"].map { try Image($0, range: 0...10) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - network: the network.
  ///   - preparation: what is done with each picture; `nil` for what the network's metadata states.
  ///     Without a size, pictures get the size of the input; where that is open, they keep their
  ///     own size if it is allowed.
  ///   - input: the name of the input that receives the picture; by default the only one.
  ///   - read: returns the result of a picture from the outputs. The geometry maps coordinates
  ///     of the input back to the picture.
  /// - Throws: ``ImageError`` when there is no such input, or none is named of several, when
  ///   nothing says how pictures are prepared, and when it does not take pictures of these channels
  ///   or this size.
  public init(
    _ network: CompiledModel, preparation: ImagePreparation? = nil, input: String? = nil,
    read: @escaping Reader
  ) throws(ImageError) {
    let names = network.inputNames
    guard let name = input ?? (names.count == 1 ? names[0] : nil),
      let place = names.firstIndex(of: name)
    else { throw .noInput(input, names) }
    self.network = network
    shape = network.inputShapes[place]
    openAxes = network.openSizes?.axes[place] ?? []
    self.preparation = try network.preparation(preparation, of: name).fitting(shape, of: name)
    self.input = name
    self.read = read
  }

  /// Predicts for a picture file, JPEG, PNG or PPM.
  ///
  /// - Parameter path: the file; relative to the working directory unless it begins with `/`.
  /// - Returns: the result.
  /// - Throws: ``ImageError`` when the file cannot be read, and as ``predict(_:)-(Image)``.
  public func predict(contentsOf path: String) throws -> Reading {
    try predict(Image(contentsOf: path))
  }

  /// Predicts for a picture.
  ///
  /// - Parameter image: the picture, of any size.
  /// - Returns: the result.
  /// - Throws: ``ImageError`` when the picture cannot be prepared; `PredictionError`, as
  ///   `CompiledModel.predict`; what reading the outputs throws.
  public func predict(_ image: Image) throws -> Reading {
    let (values, geometry) = try prepared(image)
    return try read(network.predict([input: values]), geometry)
  }

  /// Predicts for a picture in memory that belongs to something else, such as a frame of a camera.
  ///
  /// - Parameter view: the picture, of any size and form.
  /// - Returns: the result.
  /// - Throws: as ``predict(_:)-(Image)``.
  public func predict(_ view: borrowing ImageView) throws -> Reading {
    let preparation = preparation(forWidth: view.width, height: view.height)
    let geometry = try preparation.geometry(width: view.width, height: view.height)
    return try read(
      network.predict([input: view.values(prepared: preparation)]), geometry)
  }

  /// Predicts for several pictures.
  ///
  /// Pictures that have the same size after the preparation are predicted together, in batches of
  /// up to the network's `maximumBatch`.
  ///
  /// - Parameter images: the pictures, of any sizes.
  /// - Returns: the results in the order of the pictures.
  /// - Throws: as ``predict(_:)-(Image)``, for the first picture that fails.
  public func predict(batch images: [Image]) throws -> [Reading] {
    var readings: [Reading] = []
    readings.reserveCapacity(images.count)
    var waiting: [(values: TensorValues, geometry: ImageGeometry)] = []
    func predictWaiting() throws {
      let predictions = try network.predict(batch: waiting.map { [input: $0.values] })
      for (prediction, picture) in zip(predictions, waiting) {
        readings.append(try read(prediction, picture.geometry))
      }
      waiting.removeAll(keepingCapacity: true)
    }
    for image in images {
      let next = try prepared(image)
      if let first = waiting.first,
        first.values.shape != next.values.shape || waiting.count == max(network.maximumBatch, 1)
      {
        try predictWaiting()
      }
      waiting.append(next)
    }
    if !waiting.isEmpty { try predictWaiting() }
    return readings
  }

  /// Predicts for a picture in a runner, which shares its slots among all requests.
  ///
  /// The picture is prepared before it waits for a slot.
  ///
  /// - Parameters:
  ///   - image: the picture, of any size.
  ///   - runner: a runner of ``network``.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the result.
  /// - Throws: `RunnerError` when the task is canceled, the deadline passes first or the runner is
  ///   closed; and as ``predict(_:)-(Image)``.
  public func predict(
    _ image: Image, in runner: Runner<CompiledModel>, deadline: Deadline? = nil
  ) async throws -> Reading {
    let (values, geometry) = try prepared(image)
    return try read(
      await runner.predict([input: values], deadline: deadline), geometry)
  }

  private func prepared(
    _ image: Image
  ) throws -> (values: TensorValues, geometry: ImageGeometry) {
    let preparation = preparation(forWidth: image.width, height: image.height)
    return (
      try image.values(prepared: preparation),
      try preparation.geometry(width: image.width, height: image.height)
    )
  }

  /// The preparation of a picture, with the size that it gets where sizes are open.
  func preparation(forWidth width: Int, height: Int) -> ImagePreparation {
    guard preparation.size == nil, !openAxes.isEmpty else { return preparation }
    var sized = preparation
    sized.size = Size(
      of: Size(width: width, height: height), for: shape, open: openAxes,
      layout: preparation.layout)
    return sized
  }
}

extension ImagePreparation {
  /// The preparation for an input of a network: with the size of the input, if it has none.
  ///
  /// - Throws: ``ImageError`` when the input takes no pictures of these channels or this size.
  fileprivate func fitting(
    _ shape: Shape, of input: String
  ) throws(ImageError) -> ImagePreparation {
    let channels = normalization.order.channels
    let isFirst = layout == .channelsFirst
    guard shape.rank == 3 else {
      throw .noPictureInput(input, shape, needs: "height×width×\(channels)")
    }
    let stated = shape.dimensions
    let sizes =
      isFirst ? (stated[1], stated[2], stated[0]) : (stated[0], stated[1], stated[2])
    var fitting = self
    if fitting.size == nil, let height = sizes.0, let width = sizes.1 {
      fitting.size = Size(width: width, height: height)
    }
    let pairs = [
      (sizes.0, fitting.size?.height), (sizes.1, fitting.size?.width), (sizes.2, channels),
    ]
    for case (let has?, let gets?) in pairs where has != gets {
      let size = fitting.size.map { "\($0.height)×\($0.width)" } ?? "?×?"
      throw .noPictureInput(input, shape, needs: "\(size)×\(channels), as the picture is prepared")
    }
    return fitting
  }
}

extension ImageError {
  static func noInput(_ name: String?, _ names: [String]) -> ImageError {
    ImageError(
      .invalidArgument,
      name.map { "the network has no input \"\($0)\"" }
        ?? "the network has several inputs; name the one for the picture",
      needs: "one of " + names.joined(separator: ", "))
  }

  static func noPictureInput(_ name: String, _ shape: Shape, needs: String) -> ImageError {
    ImageError(
      .invalidArgument, "the input \"\(name)\" does not take the picture",
      received: "\(shape)", needs: needs)
  }
}
