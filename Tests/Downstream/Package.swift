// swift-tools-version: 6.2
import PackageDescription

// What a package of a user's own looks like. Scripts/check-downstream copies it beside a copy of Forge
// under another folder's name, and builds it with products and traits of its choice.
let products = Context.environment["FORGE_HDF5"] == "on" ? ["Forge", "ForgeHDF5"] : ["Forge"]
let hasZip = Context.environment["FORGE_ZIP"] != "off"

let package = Package(
  name: "downstream",
  dependencies: [
    .package(name: "forge", path: "../some-other-name", traits: hasZip ? [.defaults] : [])
  ],
  targets: [
    .executableTarget(
      name: "Downstream",
      dependencies: products.map { .product(name: $0, package: "forge") })
  ]
)
