// swift-tools-version: 6.2
import PackageDescription

// What a program with machines in memory needs: no trait, so that no other package is fetched.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Seeds", targets: ["Seeds"])],
    dependencies: [.package(name: "wfd", path: "../..", traits: [])],
    targets: [
        .target(name: "Seeds", dependencies: [.product(name: "StateMachines", package: "wfd")]),
        // Machines of other libraries, with their own assertions.
        .target(name: "Ports", dependencies: [.product(name: "StateMachines", package: "wfd")]),
        .executableTarget(name: "screens", dependencies: ["Seeds"]),
        .executableTarget(name: "order", dependencies: ["Seeds"]),
        .executableTarget(name: "countdown", dependencies: ["Seeds"]),
        .testTarget(name: "SeedsTests", dependencies: ["Seeds"]),
        .testTarget(name: "PortsTests", dependencies: ["Ports"]),
        // What is said where a trait is missing.
        .testTarget(name: "TraitsTests", dependencies: [.product(name: "StateMachines", package: "wfd")]),
    ]
)
