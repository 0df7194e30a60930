import CForge
import Forge

// The functions of contexts that forge.h declares and describes.

/// `forge_context_create` of forge.h.
@_cdecl("forge_context_create")
public func contextCreate(
  _ model: OpaquePointer?, _ options: UnsafePointer<forge_context_options>?,
  _ context: UnsafeMutablePointer<OpaquePointer?>?
) -> forge_status {
  OpenedModel.table.with(model) { model in
    guard let context else { throw Failure.null("context") }
    context.pointee = nil
    let made = try RealtimeContext(
      model.network, batch: Int(try Options.context(options).batch))
    context.pointee = try OpenedContext.table.opened(made)
  }
}

/// `forge_context_close` of forge.h.
@_cdecl("forge_context_close")
public func contextClose(_ context: OpaquePointer?) -> forge_status {
  OpenedContext.table.close(context)
}

/// `forge_context_set_length` of forge.h.
@_cdecl("forge_context_set_length")
public func contextSetLength(_ context: OpaquePointer?, _ length: Int) -> forge_status {
  OpenedContext.table.with(context) { try $0.setLength(length) }
}

/// `forge_context_input_count` of forge.h.
@_cdecl("forge_context_input_count")
public func contextInputCount(
  _ context: OpaquePointer?, _ index: Int, _ count: UnsafeMutablePointer<Int>?
) -> forge_status {
  OpenedContext.table.with(context) { context in
    guard let count else { throw Failure.null("count") }
    guard let found = context.count(ofInput: index) else {
      throw Failure.index(index, input: context)
    }
    count.pointee = found
  }
}

/// `forge_context_output_count` of forge.h.
@_cdecl("forge_context_output_count")
public func contextOutputCount(
  _ context: OpaquePointer?, _ index: Int, _ count: UnsafeMutablePointer<Int>?
) -> forge_status {
  OpenedContext.table.with(context) { context in
    guard let count else { throw Failure.null("count") }
    guard let found = context.count(ofOutput: index) else {
      throw Failure.index(index, output: context)
    }
    count.pointee = found
  }
}

/// `forge_context_bind_input` of forge.h.
@_cdecl("forge_context_bind_input")
public func contextBindInput(
  _ context: OpaquePointer?, _ index: Int, _ values: UnsafePointer<Float>?, _ count: Int
) -> forge_status {
  OpenedContext.table.with(context) { context in
    try OpenedContext.check(values, count: count)
    guard context.bindInput(index, to: UnsafeBufferPointer(start: values, count: count)) else {
      throw Failure.index(index, input: context)
    }
  }
}

/// `forge_context_bind_output` of forge.h.
@_cdecl("forge_context_bind_output")
public func contextBindOutput(
  _ context: OpaquePointer?, _ index: Int, _ values: UnsafeMutablePointer<Float>?, _ count: Int
) -> forge_status {
  OpenedContext.table.with(context) { context in
    try OpenedContext.check(values, count: count)
    let memory = UnsafeMutableBufferPointer(start: values, count: count)
    guard context.bindOutput(index, to: memory) else {
      throw Failure.index(index, output: context)
    }
  }
}

/// `forge_context_set` of forge.h.
@_cdecl("forge_context_set")
public func contextSet(_ context: OpaquePointer?, _ index: Int, _ value: Float) -> forge_status {
  OpenedContext.table.with(context) { context in
    guard context.setInput(index, to: value) else { throw Failure.index(index, input: context) }
  }
}

/// `forge_context_write` of forge.h.
@_cdecl("forge_context_write")
public func contextWrite(
  _ context: OpaquePointer?, _ index: Int, _ values: UnsafePointer<Float>?, _ count: Int,
  _ stride: Int, _ first: Int, _ step: Int
) -> forge_status {
  OpenedContext.table.with(context) { context in
    try OpenedContext.check(values, count: count, stride: stride)
    guard let size = context.size(ofInput: index) else {
      throw Failure.index(index, input: context)
    }
    let isDone = context.write(
      values, count: count, stride: stride, toInput: index, first: first, step: step)
    guard isDone else { throw Failure.elements(first: first, step: step, count: count, of: size) }
  }
}

/// `forge_context_read` of forge.h.
@_cdecl("forge_context_read")
public func contextRead(
  _ context: OpaquePointer?, _ index: Int, _ values: UnsafeMutablePointer<Float>?, _ count: Int,
  _ stride: Int, _ first: Int, _ step: Int
) -> forge_status {
  OpenedContext.table.with(context) { context in
    try OpenedContext.check(values, count: count, stride: stride)
    guard let size = context.size(ofOutput: index) else {
      throw Failure.index(index, output: context)
    }
    let isDone = context.read(
      values, count: count, stride: stride, ofOutput: index, first: first, step: step)
    guard isDone else { throw Failure.elements(first: first, step: step, count: count, of: size) }
  }
}

/// `forge_context_run` of forge.h.
@_cdecl("forge_context_run")
public func contextRun(_ context: OpaquePointer?, _ batch: Int) -> forge_status {
  OpenedContext.table.with(context) { try $0.predict(batch: batch) }
}
