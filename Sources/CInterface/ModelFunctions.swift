import CForge
import Forge

// The functions of models that forge.h declares and describes.

/// `forge_api_version` of forge.h.
@_cdecl("forge_api_version")
public func apiVersion() -> UInt32 { UInt32(FORGE_API_VERSION) }

/// `forge_model_open` of forge.h.
@_cdecl("forge_model_open")
public func modelOpen(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<forge_model_options>?,
  _ model: UnsafeMutablePointer<OpaquePointer?>?
) -> forge_status {
  reporting {
    guard let model else { throw Failure.null("model") }
    model.pointee = nil
    guard let path else { throw Failure.null("path") }
    let opened = OpenedModel(
      try OpenedModel.network(path: String(cString: path), options: try Options.model(options)))
    model.pointee = try OpenedModel.table.opened(opened)
  }
}

/// `forge_model_close` of forge.h.
@_cdecl("forge_model_close")
public func modelClose(_ model: OpaquePointer?) -> forge_status {
  OpenedModel.table.close(model)
}

/// `forge_model_counts` of forge.h.
@_cdecl("forge_model_counts")
public func modelCounts(
  _ model: OpaquePointer?, _ inputs: UnsafeMutablePointer<Int>?,
  _ outputs: UnsafeMutablePointer<Int>?, _ states: UnsafeMutablePointer<Int>?
) -> forge_status {
  OpenedModel.table.with(model) { model in
    inputs?.pointee = model.inputs.count
    outputs?.pointee = model.outputs.count
    states?.pointee = model.states.count
  }
}

/// `forge_model_input` of forge.h.
@_cdecl("forge_model_input")
public func modelInput(
  _ model: OpaquePointer?, _ index: Int, _ tensor: UnsafeMutablePointer<forge_tensor>?
) -> forge_status {
  OpenedModel.table.with(model) { try $0.inputs.describe(index, "input", to: tensor) }
}

/// `forge_model_output` of forge.h.
@_cdecl("forge_model_output")
public func modelOutput(
  _ model: OpaquePointer?, _ index: Int, _ tensor: UnsafeMutablePointer<forge_tensor>?
) -> forge_status {
  OpenedModel.table.with(model) { try $0.outputs.describe(index, "output", to: tensor) }
}

/// `forge_model_state` of forge.h.
@_cdecl("forge_model_state")
public func modelState(
  _ model: OpaquePointer?, _ index: Int, _ tensor: UnsafeMutablePointer<forge_tensor>?
) -> forge_status {
  OpenedModel.table.with(model) { try $0.states.describe(index, "state", to: tensor) }
}
