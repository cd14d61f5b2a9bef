// swift-tools-version: 6.2
import PackageDescription

// The same machines, in a SQLite file: one trait more, and one line of the program.
let package = Package(
    name: "Durable",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "wfd", path: "../..", traits: ["Durable"]),
        .package(name: "Examples", path: "../Swift"),
    ],
    targets: [
        .executableTarget(
            name: "rocket",
            dependencies: [
                .product(name: "DurableMachines", package: "wfd"), .product(name: "Seeds", package: "Examples"),
            ]),
        .executableTarget(
            name: "packer",
            dependencies: [
                .product(name: "DurableMachines", package: "wfd"), .product(name: "Seeds", package: "Examples"),
            ]),
    ]
)
