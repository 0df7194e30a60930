import Forge
import ForgeImporters
import ForgeToolSupport

/// How a command compiles the network that it is given, if it is not compiled already.
struct NetworkOptions {
  /// The options of the compile, with defaults for what is not given.
  var compile: CompileOptions
  /// The threads of a prediction; `nil` if the argument is not given.
  var threads: Int?
  /// The arguments that are given and that choose what a compiled file fixes: `--precision`.
  var given: [String]
  /// Whether a prediction has the examples that the model file fixes, in place of those of
  /// ``compile``.
  var followsFileBatch = false

  /// Whether the command takes the network of a compiled file.
  var takesCompiledFiles = true

  /// Creates options.
  init(_ compile: CompileOptions, threads: Int? = nil, given: [String] = []) {
    (self.compile, self.threads, self.given) = (compile, threads, given)
  }

  /// Creates the options of a command that leaves only threads and a cache to choose.
  init(threads: Int?, _ caching: CacheArguments) {
    self.init(
      CompileOptions(threads: .given(threads), cache: caching.cache), threads: threads,
      given: caching.given)
  }

  /// Whether a network of a file may be compiled with ``compile`` as it is.
  func suit(_ interface: FileInterface) -> Bool {
    !followsFileBatch || interface.inputs.first?.batchSize ?? 1 <= compile.maximumBatch
  }

  /// The options for a model.
  func compile(for network: Network) -> CompileOptions {
    var options = compile
    guard followsFileBatch else { return options }
    options.maximumBatch = network.imported.inputs.first?.batchSize ?? options.maximumBatch
    return options
  }
}

/// The names of arguments that are given, for messages.
enum GivenArguments {
  /// Those whose value is not `nil`: `["--cache"]`.
  static func names(_ arguments: KeyValuePairs<String, Any?>) -> [String] {
    arguments.compactMap { name, value in value.map { _ in "--\(name)" } }
  }
}
