// swift-tools-version: 6.2
import PackageDescription

// A package of a user's own. Outside this repository the dependency is
// .package(url: "https://…/forge", from: "…", traits: [.defaults, "Macros"]).
var targets: [Target] = [
  .executableTarget(
    name: "CheckedNetwork",
    dependencies: [.product(name: "ForgeMacros", package: "forge")])
]
// Five mistakes that do not compile; the script `check` beside builds them and reads the errors.
if Context.environment["FORGE_MISTAKES"] != nil {
  targets.append(
    .executableTarget(
      name: "Mistakes", dependencies: [.product(name: "ForgeMacros", package: "forge")]))
}

let package = Package(
  name: "checked-network",
  dependencies: [.package(name: "forge", path: "../..", traits: [.defaults, "Macros"])],
  targets: targets,
  swiftLanguageModes: [.v6]
)
