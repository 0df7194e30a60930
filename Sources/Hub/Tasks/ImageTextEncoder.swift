import Forge
import ForgeLoaders
import ForgeSystem
import ForgeText

/// Makes vectors of pictures and of texts that can be compared with each other, with CLIP.
///
/// ```swift
/// let encoder = try ImageTextEncoder(contentsOf: "clip-vit-base-patch32")
/// let ranks = try encoder.classify(pixels, as: ["a photo of a cat", "a photo of a dog"])
/// print(ranks[0])
/// ```
/// Vectors have the length 1, so the product of two is the cosine of their angle. All threads
/// can share an encoder.
public struct ImageTextEncoder: Sendable {
  /// The network for pictures.
  public let images: HubImageModel
  /// The network for texts.
  public let texts: HubModel
  /// What the cosine of a picture and a text is multiplied by before the exponential.
  public let scale: Float

  private let imageNetwork: CompiledModel
  private let textNetwork: HubNetwork

  /// Reads a folder and compiles its networks.
  ///
  /// - Parameters:
  ///   - folder: the folder of a CLIP.
  ///   - threads: the threads that share the texts of a call; `nil` for one per processor.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel`` and ``HubImageModel``; `compile`.
  public init(
    contentsOf folder: String, threads: Int? = nil, options: CompileOptions = CompileOptions(),
    limits: HubLimits = HubLimits()
  ) throws(HubError) {
    images = try HubImageModel(contentsOf: folder, head: .embedding, limits: limits)
    texts = try HubModel(contentsOf: folder, head: .embedding, inputs: [], limits: limits)
    imageNetwork = try images.compiled(options)
    textNetwork = try HubNetwork(texts, options, threads: threads)
    guard let logarithm = try images.tensors.number("logit_scale") else {
      throw .missing("logit_scale", in: folder, needs: "a tensor of one number")
    }
    scale = Float(exp(Double(logarithm)))
  }

  /// The vectors of texts.
  ///
  /// - Parameter texts: the texts; tokens beyond the maximum length are left out.
  /// - Returns: a vector of length 1 for each text, in their order.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func embed(_ texts: [String]) throws(HubError) -> [[Float]] {
    var vectors = try textNetwork.map(try textNetwork.encode(texts)) { _, vector in
      vector.indices.map { vector[$0] }
    }
    for index in vectors.indices { vectors[index].normalizeLength() }
    return vectors
  }

  /// The vector of a picture.
  ///
  /// - Parameter pixels: the picture, [height][width][colors], as
  ///   ``HubImageModel/preparation`` says.
  /// - Returns: a vector of length 1.
  /// - Throws: ``HubError`` of kind `prediction`, including for a wrong number of values.
  public func embed(picture pixels: [Float]) throws(HubError) -> [Float] {
    var vector = try images.predict(pixels, imageNetwork)
    vector.normalizeLength()
    return vector
  }

  /// Ranks texts by how well they describe a picture.
  ///
  /// - Parameters:
  ///   - pixels: the picture, as for ``embed(picture:)``.
  ///   - texts: the texts, such as `a photo of a cat`.
  /// - Returns: all texts, the best first, with scores that sum to 1.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func classify(
    _ pixels: [Float], as texts: [String]
  ) throws(HubError) -> [RankedClass] {
    try classify([pixels], as: texts)[0]
  }

  /// Ranks texts by how well they describe each picture; each text is computed once.
  ///
  /// - Parameters:
  ///   - pictures: the pictures, as for ``embed(picture:)``.
  ///   - texts: the texts, such as `a photo of a cat`.
  /// - Returns: for each picture all texts, the best first, with scores that sum to 1: the softmax
  ///   of ``scale`` times the cosines.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func classify(
    _ pictures: [[Float]], as texts: [String]
  ) throws(HubError) -> [[RankedClass]] {
    let vectors = try embed(texts)
    var ranks: [[RankedClass]] = []
    for pixels in pictures {
      let picture = try embed(picture: pixels)
      let logits = vectors.map { text in
        scale * zip(picture, text).reduce(0) { $0 + $1.0 * $1.1 }
      }
      let scores = LabelScoring.softmax(logits)
      ranks.append(scores.top(k: scores.count, labels: texts))
    }
    return ranks
  }
}

extension HubTensors {
  /// The value of a tensor of one number; `nil` if there is none.
  ///
  /// - Throws: ``HubError`` of kind `malformed`.
  func number(_ name: String) throws(HubError) -> Float? {
    let data: (any ParameterData)?
    do throws(LoadError) { data = try self.data(name, layout: .pytorch) } catch {
      throw HubError(error)
    }
    guard let data else { return nil }
    var number: Float?
    if data.count == 1 {
      try? data.withUnsafeBytes { bytes in
        var value = Float(0)
        guard bytes.count == data.elementType.byteCount else { return }
        withUnsafeMutablePointer(to: &value) {
          data.elementType.convert(bytes, into: UnsafeMutableBufferPointer(start: $0, count: 1))
        }
        number = value
      }
    }
    guard let number, number.isFinite else {
      throw .wrongForm(data.origin, needs: "a tensor of one finite number")
    }
    return number
  }
}
