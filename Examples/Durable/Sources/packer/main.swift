import DurableMachines
import Foundation
import Seeds
import StateMachines

// packer FILE: has a parcel packed by a worker. Kill it while it packs and start it again: another attempt packs it.
guard let file = CommandLine.arguments.dropFirst().first else { fatalError("write: packer FILE") }
// Before anything is written: options that no host accepts throw.
let options = try WorkOptions(concurrency: 4, lease: .seconds(5))
let host = try await FileHost.open(file)
// With a key: started again, it is the same parcel.
let items = Parcel.Context(items: ["pen", "ink"])
let parcel = try await host.start(Parcel.self, "parcel-1", context: items, key: "parcel-1")
let worker = Task {
    try await host.work(Stock.self, options) { task in
        print("packing, attempt \(task.attempt)")
        // Also where standard output is a pipe.
        fflush(nil)
        for _ in task.input.items { try await Task.sleep(for: .seconds(1)) }
        return Stock.Output(weight: 4 * task.input.items.count)
    }
}
for try await move in parcel.transitions(after: 1) { print(move) }
worker.cancel()
try await worker.value
try await host.close()
