import CForgeKernels
import ForgeOperations
import ForgeSystem

/// A network of a compiled file: one plan, whose parameters are packed.
final class StoredNetwork: BackendNetwork {
  let decisions: BackendDecisions
  let plan: Plan
  let constantByteCount: Int

  /// Reads what ``CPUNetwork`` has written.
  ///
  /// - Throws: ``StoredMisfit`` if the file is of another machine, and `NoMemory`.
  init(from reader: inout StoredReader, threads: CompileOptions.Threads) throws {
    let machine = try reader.read(StoredMachine.self)
    let level = try machine.level()
    let written = try reader.read(BackendDecisions.self)
    // A prediction never has more threads than the plan was made for.
    decisions = BackendDecisions(
      instructionSet: written.instructionSet,
      threads: min(written.threads, threads.count(usable: Device.usableCores())),
      precision: written.precision, tuning: written.tuning,
      kernelsAreOptimized: forge_is_optimized() != 0)
    plan = try Plan(from: &reader, level: level)
    constantByteCount = reader.memories.reduce(0) { $0 + $1.count }
  }

  func executable(
    for graph: OperationGraph, constants: (any ConstantSource)?, lengths: LengthRange?
  ) throws(BackendError) -> any Executable { plan }

  func write(
    _ executable: any Executable, twin: any Executable, to writer: inout StoredWriter
  ) throws(BackendError) {
    throw .plansDiffer
  }
}

/// The machine that a plan is for.
struct StoredMachine: StoredValue {
  private let levelName: String
  /// The form of products of bytes, which the layout of packed bytes follows.
  private let products: UInt32
  /// The digest of the sources of kernels and plans.
  private let engine: String

  init(level: forge_level) {
    levelName = forge_facts(level).map { String(cString: $0.pointee.name) } ?? ""
    products = forge_best_products(level).rawValue
    engine = EngineVersion.digest
  }

  /// What determines a plan besides its graph, its constants and the options that are values.
  static func facts(of options: CompileOptions) -> [String] {
    let level = (options.requestedInstructionSet ?? .best).level
    let machine = StoredMachine(level: level)
    var facts = [
      machine.engine, machine.levelName, "\(machine.products)", "\(forge_is_optimized())",
      "\(options.threads.count(usable: Device.usableCores()))",
    ]
    // Kernels of instructions that only some processors of an instruction set have.
    facts += KernelNames(of: level).all
    // Times belong to a machine.
    if case .measured = options.tuning, let device = Device.all.first {
      facts.append("\(device.name) \(device.caches)")
    }
    return facts
  }

  func write(to writer: inout StoredWriter) {
    writer.write(engine)
    writer.write(levelName)
    writer.write(products)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    engine = try reader.read()
    guard engine == EngineVersion.digest else {
      throw .foreign("another version of Forge has written it")
    }
    (levelName, products) = (try reader.read(), try reader.read())
  }

  /// The level of the kernels.
  ///
  /// - Throws: ``StoredMisfit`` if this machine does not have it.
  func level() throws(StoredMisfit) -> forge_level {
    let level = forge_level(UInt32(bitPattern: forge_level_named(levelName)))
    guard forge_level_named(levelName) >= 0, forge_kernels(level) != nil else {
      throw .foreign("this processor does not have the instruction set \(levelName)")
    }
    guard forge_best_products(level).rawValue == products else {
      throw .foreign("this processor multiplies bytes with different instructions")
    }
    return level
  }
}
