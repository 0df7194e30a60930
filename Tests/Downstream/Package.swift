// swift-tools-version: 6.2
import PackageDescription

// What a package of a user's own looks like. Scripts/check-downstream copies it beside a copy of Forge
// under another folder's name, and builds it with HDF5 and without.
let hasHDF5 = Context.environment["FORGE_HDF5"] != "off"

let package = Package(
  name: "downstream",
  dependencies: [
    .package(name: "forge", path: "../some-other-name", traits: hasHDF5 ? [.defaults] : [])
  ],
  targets: [
    .executableTarget(
      name: "Downstream", dependencies: [.product(name: "Forge", package: "forge")])
  ]
)
