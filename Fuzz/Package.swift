// swift-tools-version: 6.2
import PackageDescription

// Attacks on everything that reads files, apart from the library. Scripts/fuzz builds it with the
// sanitizers and links one program for each reader.
let package = Package(
  name: "forge-fuzz",
  products: [.library(name: "ForgeFuzz", type: .dynamic, targets: ["ForgeFuzz"])],
  dependencies: [.package(name: "forge", path: "..")],
  targets: [
    .target(
      name: "ForgeFuzz",
      dependencies: [
        .product(name: "Forge", package: "forge"),
        .product(name: "ForgeAudio", package: "forge"),
        .product(name: "ForgeImages", package: "forge"),
        .product(name: "ForgeImporters", package: "forge"),
        .product(name: "ForgeText", package: "forge"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
