import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The requests that are being answered, so that they end when their client goes.
final class ClientTable: Sendable {
  private let cancellations = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// Calls `cancel` when the client of a channel closes it, until ``end(_:)``.
  func begin(_ channel: any Channel, cancel: @escaping @Sendable () -> Void) {
    cancellations.withLock { $0[ObjectIdentifier(channel)] = cancel }
    if !channel.isActive { cancel() }
  }

  /// The request of a channel has been answered.
  func end(_ channel: any Channel) {
    cancellations.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  /// The client of a channel has gone.
  func closed(_ channel: any Channel) {
    cancellations.withLock { $0[ObjectIdentifier(channel)] }?()
  }
}

/// Watches a connection: refuses a body that is too large or too slow before it is read, and ends
/// the request of a client that goes.
final class ClientWatch: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let clients: ClientTable
  private let limit: Int
  private let time: TimeAmount
  /// The bytes of the current body so far.
  private var received = 0
  private var isRefused = false
  private var timer: Scheduled<Void>?

  init(_ clients: ClientTable, limit: Int, time: TimeAmount) {
    self.clients = clients
    self.limit = limit
    self.time = time
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      received = 0
      if let text = head.headerFields[.contentLength], let count = Int(text), count > limit {
        return refuse(
          context, ServingError(.tooLarge, "the body is larger than \(limit) bytes"))
      }
      let channel = context.channel
      timer = context.eventLoop.scheduleTask(in: time) {
        // A client that sends its request more slowly than this is not served.
        channel.close(promise: nil)
      }
      if head.headerFields[.expect]?.lowercased() == "100-continue" {
        let go = HTTPResponse(status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
      }
    case .body(let buffer):
      received += buffer.readableBytes
      if received > limit {
        return refuse(
          context, ServingError(.tooLarge, "the body is larger than \(limit) bytes"))
      }
    case .end: endTimer()
    }
    context.fireChannelRead(data)
  }

  private func endTimer() {
    timer?.cancel()
    timer = nil
  }

  /// Answers at once, reads nothing more, and closes the connection.
  private func refuse(_ context: ChannelHandlerContext, _ error: ServingError) {
    isRefused = true
    endTimer()
    let answer = HTTPAnswer(error)
    var fields = HTTPFields()
    fields[.contentType] = answer.type
    fields[.contentLength] = "\(answer.body.count)"
    fields[.connection] = "close"
    context.write(
      wrapOutboundOut(.head(HTTPResponse(status: answer.status, headerFields: fields))),
      promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    let channel = context.channel
    channel.close(mode: .output, promise: nil)
    // The client may still be sending: a reset would destroy the answer before it is read.
    context.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isRefused else {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      clients.closed(context.channel)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    endTimer()
    clients.closed(context.channel)
    context.fireChannelInactive()
  }
}
