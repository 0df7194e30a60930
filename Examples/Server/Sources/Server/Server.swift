import Forge
import ForgeImages
import ForgeMetrics
import ForgeModels
import Hummingbird
import Logging
import ServiceLifecycle

struct Answer: ResponseEncodable {
  let digit: Int
  let probability: Float
}

/// Reports metrics while the server runs; answers what is in flight before the process ends.
struct RunnerService: Service {
  let runner: Runner<CompiledModel>
  let metrics = RunnerMetrics(dimensions: [("model", "lenet")])

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        metrics.report(runner.statistics)
        try await Task.sleep(for: .seconds(5))
      }
    }
    await runner.shutDown()
    Logger(label: "runner").info("shut down: \(runner.statistics.completed) predictions")
  }
}

@main struct Server {
  static func main() async throws {
    let environment = Environment()
    let milliseconds = environment.get("DEADLINE_MS", as: Int.self) ?? 500
    let weights = environment.get("WEIGHTS") ?? "../LeNet/Resources/lenet.h5"
    let network = try Model.leNet().compile(parameters: HDF5Parameters(weights))
    let runner = try Runner(network)
    let preparation = ImagePreparation(width: 28, height: 28, normalization: .raw.ordered(.gray))

    let router = Router()
    router.get("health") { _, _ in HTTPResponse.Status.ok }
    router.post("classify") { request, _ -> [Answer] in
      let body = try await request.body.collect(upTo: 4 << 20)
      do {
        let picture = try Image(decoding: Array(body.readableBytesView))
        let result = try await runner.result(
          for: picture.values(prepared: preparation), deadline: .after(.milliseconds(milliseconds)))
        return result.prediction.top(k: 3).map { digit in
          Answer(digit: digit.index, probability: digit.probability)
        }
      } catch let error as ImageError {
        throw HTTPError(.badRequest, message: "\(error)")
      } catch let error as RunnerError where error.kind == .deadlineExceeded {
        throw HTTPError(.serviceUnavailable, message: "too busy, try again")
      }
    }

    let port = environment.get("PORT", as: Int.self) ?? 8080
    let server = Application(
      router: router, configuration: .init(address: .hostname("0.0.0.0", port: port)))
    // Services end in reverse order: the server stops accepting before the runner shuts down.
    let services = ServiceGroup(
      services: [RunnerService(runner: runner), server],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "server"))
    try await services.run()
  }
}
