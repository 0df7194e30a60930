// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that a program with `import Forge` clones no server packages.
let package = Package(
  name: "forge-serving",
  products: [
    .library(name: "ForgeServing", targets: ["ForgeServing"]),
    .executable(name: "forge-serve", targets: ["forge-serve"]),
  ],
  dependencies: [
    .package(name: "forge", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(name: "CServingSystem", path: "Sources/System", pkgConfig: "zlib"),
    .target(
      name: "ForgeServing",
      dependencies: [
        "CServingSystem",
        .product(name: "Forge", package: "forge"),
        .product(name: "ForgeImporters", package: "forge"),
        .product(name: "ForgeHub", package: "forge"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ]),
    .executableTarget(
      name: "forge-serve",
      dependencies: [
        "ForgeServing",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "ForgeServingTests",
      dependencies: [
        "ForgeServing",
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ], exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)
