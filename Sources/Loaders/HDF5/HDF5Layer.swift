#if HDF5
  import ForgeShapes

  /// One layer as a file keeps it: its names and its parameters.
  struct HDF5Layer: Sendable {
    /// One parameter of a layer.
    struct Parameter: Sendable {
      /// What the file calls it: `kernel`, `moving_mean`; its number where it has no name.
      let name: String
      /// The path of its dataset.
      let entry: String
    }

    /// The name with those of the models around it: `backbone/conv1`.
    let name: String
    /// How deep it lies in models inside models; the outermost wins where names are equal.
    let depth: Int
    /// Other names it answers to when nothing outside answers to them.
    var aliases: [String]
    /// Its parameters, in the order of the file.
    var parameters: [Parameter]
    /// Keras 3: the class of the layer, `conv2d`, and which of its class it is.
    var place: (container: String, number: Int)?

    /// Whether the parameters have numbers instead of names.
    var isNumbered: Bool { place != nil }

    /// The dataset for a parameter by what it is called; `nil` when the layer has none.
    func entry(named spec: ParameterSpec) -> String? {
      for name in Self.names(for: spec) {
        if let parameter = parameters.first(where: { $0.name == name }) { return parameter.entry }
      }
      return nil
    }

    /// What Keras 1 to 3 call a parameter, the likeliest first.
    private static func names(for spec: ParameterSpec) -> [String] {
      let isDepthwise = spec.axes.contains(.multiplier)
      switch spec.type {
      case .weights where isDepthwise: return ["depthwise_kernel", "kernel", "W", "weights"]
      case .weights: return ["kernel", "pointwise_kernel", "W", "weights", "embeddings"]
      case .biases: return ["bias", "b", "biases"]
      case .mean: return ["moving_mean", "running_mean", "mean"]
      // Keras 1 says std and means the variance.
      case .variance: return ["moving_variance", "running_variance", "running_std", "variance"]
      case .slopes: return ["alpha", "alphas", "slopes"]
      default: return [spec.type.name]
      }
    }

    /// The bare name of a stored parameter: `kernel` of `kernel:0` and of `conv1_kernel_1:0`.
    static func bareName(_ stored: Substring, layer: String) -> String {
      var name = stored
      if let colon = name.lastIndex(of: ":"), name[colon...].dropFirst().allSatisfy(\.isNumber) {
        name = name[..<colon]
      }
      guard name.hasPrefix(layer + "_") else { return String(name) }
      name = name.dropFirst(layer.count + 1)
      // TensorFlow numbers what it meets a second time.
      if let line = name.lastIndex(of: "_"), name[line...].dropFirst().allSatisfy(\.isNumber) {
        name = name[..<line]
      }
      return String(name)
    }
  }

  /// The layers of a file, in whatever form it has them.
  struct HDF5Layers: Sendable {
    /// How a file keeps layers.
    enum Form: Sendable {
      /// Keras 1 and 2, and `.h5` of Keras 3: lists of names, in order.
      case listed
      /// `.weights.h5` of Keras 3: numbered values in groups by class.
      case numbered
      /// Groups of datasets, of any origin; without an order.
      case plain
    }

    let form: Form
    /// The layers that have parameters, in the order of the file.
    let layers: [HDF5Layer]
    /// Whether kernels were kept the way Theano wanted them.
    let isTheano: Bool
    private let indices: [String: [Int]]

    init(form: Form, layers: [HDF5Layer], isTheano: Bool) {
      self.form = form
      self.layers = layers
      self.isTheano = isTheano
      var indices: [String: [Int]] = [:]
      for (index, layer) in layers.enumerated() {
        for name in Set([layer.name] + layer.aliases) { indices[name, default: []].append(index) }
      }
      self.indices = indices
    }

    /// The layer of a name, the outermost where there are several; `nil` when there is none.
    ///
    /// - Throws: the names of those that have it, when two are equally far out.
    func layer(named name: String) throws(HDF5NameClash) -> HDF5Layer? {
      let found = (indices[name] ?? []).map { layers[$0] }
      // A whole name is nearer than a part of one.
      func distance(_ layer: HDF5Layer) -> Int { layer.name == name ? -1 : layer.depth }
      guard let nearest = found.map(distance).min() else { return nil }
      let best = found.filter { distance($0) == nearest }
      guard best.count == 1 else { throw HDF5NameClash(names: best.map(\.name)) }
      return best.first
    }

    /// The names to ask for, each of which leads to one layer.
    var names: [String] {
      layers.map { layer in
        let short = layer.name.split(separator: "/").last.map(String.init) ?? layer.name
        guard let found = try? self.layer(named: short), found.name == layer.name else {
          return layer.name
        }
        return short
      }
    }
  }

  /// Several layers of one name.
  struct HDF5NameClash: Error {
    let names: [String]
  }
#endif
