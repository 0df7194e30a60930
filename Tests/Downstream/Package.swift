// swift-tools-version: 6.2
import PackageDescription

// What a package of a user's own looks like. Scripts/check downstream copies it, puts Forge into a
// repository with a tag, whose address is FORGE_URL, and builds it with products and traits of its
// choice.
let url = Context.environment["FORGE_URL"] ?? "https://example.org/forge"
let products = Context.environment["FORGE_HDF5"] == "on" ? ["Forge", "ForgeHDF5"] : ["Forge"]
// The ten lines of the README are a program beside it.
let hasTenLines = Context.environment["FORGE_TEN_LINES"] == "on"
let hasZip = Context.environment["FORGE_ZIP"] != "off"

let package = Package(
  name: "downstream",
  dependencies: [
    .package(url: url, from: "0.1.0", traits: hasZip ? [.defaults] : [])
  ],
  targets: (["Downstream"] + (hasTenLines ? ["TenLines"] : [])).map { name in
    .executableTarget(
      name: name, dependencies: products.map { .product(name: $0, package: "forge") })
  }
)
