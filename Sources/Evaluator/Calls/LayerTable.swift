#if Macros
  import ForgeLayers
  import ForgeShapes

  /// The initializers of Forge's layers by their names.
  struct LayerTable: Sendable {
    /// One initializer.
    struct Initializer: Sendable {
      let parameters: Parameters
      let make: @Sendable (MatchedArguments, SourcePlace) throws -> any Step
    }

    /// All initializers of each name.
    private(set) var initializers: [String: [Initializer]] = [:]

    /// The table of this version of Forge.
    static let shared: LayerTable = {
      var table = LayerTable()
      addLayerCalls(to: &table)
      return table
    }()

    /// Adds an initializer.
    mutating func add(
      _ name: String, _ parameters: [Parameter],
      make: @escaping @Sendable (MatchedArguments, SourcePlace) throws -> any Step
    ) {
      initializers[name, default: []].append(
        Initializer(parameters: Parameters(parameters), make: make))
    }
  }
#endif
