import ArgumentParser
import Dispatch
import Forge
import ForgeHub
import ForgeToolSupport
import Synchronization

/// Generates text with a model folder of the Hub.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Continues or translates a text with a model folder of the Hugging Face Hub.",
    discussion: """
      A decoder's folder continues the text; an encoder-decoder's, such as T5 or BART, turns it \
      into another text. The result appears token by token. Options that are not given are those \
      of the folder's generation_config.json; without it each token is the most likely one.

      EXAMPLES
        forge generate gpt2 "Swallows leave before" --tokens 40
        forge generate Qwen2.5-0.5B "The capital of Peru is" --temperature 0.7 --top-p 0.9 --seed 7
        forge generate t5-small "translate English to German: The house is wonderful."
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "folder"), completion: .directory)
  var folder: String

  @Argument(help: ArgumentHelp("The text to continue or to translate.", valueName: "text"))
  var prompt: String

  @Option(help: "The maximum number of tokens.")
  var tokens: Int?

  @Option(help: "The divisor of the logits; 0 takes the most likely token each time.")
  var temperature: Float?

  @Option(help: "Choose among this many of the most likely tokens.")
  var topK: Int?

  @Option(help: "Choose among the fewest tokens whose probabilities sum to this.")
  var topP: Float?

  @Option(help: "The seed of the choice; by default a different one each time.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp("A text at which generation stops; can be repeated.", valueName: "text"))
  var stop: [String] = []

  @Option(help: "The maximum number of tokens of both texts, or of each for an encoder-decoder.")
  var length = 4096

  @Flag(help: "Ignore the options of generation_config.json, such as those of beam search.")
  var ignoreSettings = false

  @Option(help: "The threads of a prediction.")
  var threads: Int?

  func validate() throws {
    guard threads ?? 1 >= 1 else { throw ValidationError("threads must be 1 or more") }
  }

  func run() throws {
    var compile = CompileOptions()
    if let threads { compile.threads = .atMost(threads) }
    let generator = try Progress.during("compiling \(folder)") {
      try Generator(
        contentsOf: folder, generation: ignoreSettings ? GenerationOptions() : nil,
        maximumLength: length, options: compile)
    }
    var options = generator.options
    options.maximumTokens = tokens ?? options.maximumTokens
    options.temperature = temperature ?? options.temperature
    options.topK = topK ?? options.topK
    options.topP = topP ?? options.topP
    options.seed = seed ?? options.seed
    options.stopTexts += stop
    try write(try generator.generate(prompt, options: options))
  }

  /// Writes the pieces as they come, and waits for the last one.
  private func write(_ text: GeneratedText) throws {
    let failure = Mutex<(any Error)?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        for try await piece in text {
          print(piece.text, terminator: "")
          StandardOutput.flush()
        }
      } catch { failure.withLock { $0 = error } }
      done.signal()
    }
    done.wait()
    print("")
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
