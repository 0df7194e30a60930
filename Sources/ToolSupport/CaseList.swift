import Forge
import ForgeImporters
import ForgeSystem
import FoundationEssentials

/// A list of models, each with arrays to predict from and places to write the results to.
package struct CaseList: Decodable {
  /// One model with its arrays; paths are relative to the working directory.
  package struct Case: Decodable {
    /// The model file.
    package let model: String
    /// The `.npy` file of each input.
    package let inputs: [String: String]?
    /// The `.npy` file to write for each output.
    package let outputs: [String: String]?
    /// The `.npy` file of each input that is bound while importing.
    package let constants: [String: String]?
    /// The sizes of inputs that the file leaves open: `1x..512x64`.
    package let sizes: [String: String]?
    /// Whether the first axis of the inputs counts examples.
    package let batch: Bool?
    /// The rewrites and algorithms that are not used.
    package let disabledRewrites: [String]?
  }

  /// What became of a case.
  package struct Outcome: Encodable, Hashable {
    /// The model file.
    package let model: String
    /// `ok`, `unsupported` or `error`.
    package let status: String
    /// The error; empty if there was none.
    package let message: String
  }

  /// The cases in order.
  package let cases: [Case]

  /// Reads a JSON array of cases.
  package init(json: Data) throws(ToolError) {
    do { cases = try JSONDecoder().decode([Case].self, from: json) } catch {
      throw ToolError(
        .malformed, "this is not a list of cases", received: (error as? DecodingError)?.summary,
        needs: #"[{"model": …, "inputs": {…}, "outputs": {…}, "constants": {…}}, …]"#)
    }
  }

  /// Runs one case; an error is part of the outcome.
  package static func run(
    _ entry: Case, options: CompileOptions, limits: ImportLimits = ImportLimits()
  ) -> Outcome {
    func outcome(_ status: String, _ message: String = "") -> Outcome {
      Outcome(model: entry.model, status: status, message: message)
    }
    do {
      let constants = try (entry.constants ?? [:]).mapValues { try StoredTensor(numPy: $0) }
      let sizes = try (entry.sizes ?? [:]).mapValues { text throws(ToolError) in
        guard let sizes = InputSize.list(text) else {
          throw ToolError(.malformed, "these are not sizes", received: text, needs: "1x..512x64")
        }
        return sizes
      }
      var options = options
      options.disabledRewrites.formUnion(entry.disabledRewrites ?? [])
      let file = ModelFile(entry.model, sizes: sizes, constants: constants, limits: limits)
      let imported = try file.imported()
      let run = try NetworkRun(imported) { try imported.model.compile(options: options) }
      let given = try (entry.inputs ?? [:]).mapValues {
        NetworkRun.Given.array(try StoredTensor(numPy: $0))
      }
      let isBatch = entry.batch ?? false
      let arrays = try run.arrays(
        of: run.results(run.examples(given, isBatch: isBatch)), isBatch: isBatch)
      for (name, path) in entry.outputs ?? [:] {
        guard let array = arrays.first(where: { $0.name == name })?.array else {
          return outcome("error", "the model has no output \"\(name)\"")
        }
        try array.write(to: path)
      }
      return outcome("ok")
    } catch let error as ImportError where error.kind == .unsupported {
      return outcome("unsupported", "\(error)")
    } catch {
      return outcome("error", "\(error)")
    }
  }
}
