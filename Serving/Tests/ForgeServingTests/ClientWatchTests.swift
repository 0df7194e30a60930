import ForgeServing
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

@Suite struct ClientWatchTests {
  private let clients = ClientTable()
  private let channel: EmbeddedChannel

  init() throws {
    channel = EmbeddedChannel(handler: ClientWatch(clients, limit: 10, time: .seconds(8)))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
  }

  private func head(_ fields: HTTPFields = [:]) -> HTTPRequestPart {
    .head(
      HTTPRequest(
        method: .post, scheme: "http", authority: "x", path: "/", headerFields: fields))
  }

  private func body(_ count: Int) -> HTTPRequestPart {
    .body(ByteBuffer(repeating: 1, count: count))
  }

  private func answer() throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  /// The statuses of the answers that were sent.
  private func statuses() throws -> [Int] {
    var statuses: [Int] = []
    while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
      if case .head(let head) = part { statuses.append(head.status.code) }
    }
    return statuses
  }

  /// The parts that went on to the responder.
  private func passedOn() throws -> Int {
    var count = 0
    while try channel.readInbound(as: HTTPRequestPart.self) != nil { count += 1 }
    return count
  }

  @Test func requestsWithinTheLimit() throws {
    for count in [0, 10] {
      try channel.writeInbound(head([.contentLength: "\(count)"]))
      try channel.writeInbound(body(count))
      try channel.writeInbound(HTTPRequestPart.end(nil))
      #expect(try passedOn() == 3)
      try answer()
      #expect(try statuses() == [200])
    }
    #expect(channel.isActive)
  }

  @Test func lengthsAboveTheLimitAreRefusedBeforeTheBody() throws {
    try channel.writeInbound(head([.contentLength: "11"]))
    #expect(try passedOn() == 0)
    #expect(try statuses() == [413])
    #expect(!channel.isActive)
  }

  @Test func bodiesWithoutALengthAreCut() throws {
    try channel.writeInbound(head())
    try channel.writeInbound(body(10))
    #expect(try passedOn() == 2)
    try channel.writeInbound(body(1))
    #expect(try passedOn() == 0)
    #expect(try statuses() == [413])
    // The responder, which still waits for the body, has no second answer.
    #expect(throws: ChannelError.self) { try answer() }
    #expect(try statuses() == [])
  }

  /// A refusal comes after the answers of the requests before it.
  @Test func refusalsKeepTheOrderOfRequests() throws {
    try channel.writeInbound(head())
    try channel.writeInbound(HTTPRequestPart.end(nil))
    try channel.writeInbound(head([.contentLength: "11"]))
    #expect(try statuses() == [])
    try answer()
    #expect(try statuses() == [200, 413])
  }

  /// A request that was answered while its body arrived is cut without a second answer.
  @Test func answeredRequestsAreNotRefused() throws {
    try channel.writeInbound(head())
    try answer()
    try channel.writeInbound(body(11))
    #expect(try statuses() == [200])
    #expect(!channel.isActive)
  }

  @Test func continuations() throws {
    try channel.writeInbound(head([.expect: "100-continue", .contentLength: "1"]))
    #expect(try statuses() == [100])
    try channel.writeInbound(head([.expect: "100-continue", .contentLength: "11"]))
    #expect(try statuses() == [])
  }

  @Test(arguments: [true, false])
  func slowRequestsAndAnswersEnd(isRequest: Bool) throws {
    try channel.writeInbound(head())
    if !isRequest {
      try channel.writeInbound(HTTPRequestPart.end(nil))
      channel.embeddedEventLoop.advanceTime(by: .seconds(60))
      #expect(channel.isActive)
      try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(7))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(4))
    #expect(!channel.isActive)
  }

  @Test func requestsInTimeKeepTheirConnection() throws {
    for _ in 0..<20 {
      try channel.writeInbound(head())
      channel.embeddedEventLoop.advanceTime(by: .seconds(5))
      try channel.writeInbound(HTTPRequestPart.end(nil))
      channel.embeddedEventLoop.advanceTime(by: .seconds(5))
      try answer()
      channel.embeddedEventLoop.advanceTime(by: .seconds(5))
    }
    #expect(channel.isActive)
  }

  @Test(arguments: [true, false])
  func clientsThatGo(halfClosed: Bool) throws {
    let cancelled = Atomic<Int>(0)
    clients.begin(channel) { cancelled.add(1, ordering: .relaxed) }
    if halfClosed {
      channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    } else {
      try channel.close().wait()
    }
    #expect(cancelled.load(ordering: .relaxed) >= 1)
    clients.end(channel)
    // A request that begins only then ends at once.
    let late = Atomic<Int>(0)
    clients.begin(channel) { late.add(1, ordering: .relaxed) }
    #expect(late.load(ordering: .relaxed) == 1)
  }
}
