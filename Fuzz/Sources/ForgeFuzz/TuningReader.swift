import Forge
import Foundation

/// Records of kernels: decoded from JSON, given to a compile, and the network run.
@_cdecl("forge_fuzz_tuning")
public func fuzzTuning(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let record = try? JSONDecoder().decode(TuningRecord.self, from: Data(bytes)) else {
    return 0
  }
  return attempt(CompileError.self) {
    let input = Input(width: 8, height: 8, channels: 16)
    let output =
      input
      --> Convolution(kernel: (3, 3), channels: 32, name: "a")
      --> Convolution(kernel: (1, 1), channels: 16, name: "b")
    let model = Model(input: input, output: output)
    let network = try model.compile(
      parameters: RandomParameters(seed: 1),
      options: CompileOptions(tuning: .recorded(record), threads: 1, compileThreads: 1))
    let values = try network.predict([Float](repeating: 1, count: 8 * 8 * 16))
    guard values.count == 8 * 8 * 16 else { fatalError("\(values.count) values") }
  }
}
