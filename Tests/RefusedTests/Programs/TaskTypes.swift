// A worker that misreads its task, or answers what the task does not say.
import StateMachines

enum Stock: MachineTask {
    static let queue = "stock"
    struct Input: Decodable { let items: [String] }
    struct Output: Encodable { let weight: Int }
}

// error: type 'Parcel' does not conform to protocol 'MachineTask'
enum Parcel: MachineTask {
    static let queue = "parcel"
    struct Input: Decodable {}
}

func work(at host: some MachineHost) async throws {
    try await host.work(Stock.self) { task in
        // error: value of type 'Stock.Input' has no member 'itmes'
        Stock.Output(weight: task.input.itmes)
    }
    try await host.work(Stock.self) { task in
        // error: cannot convert value of type 'Int' to closure result type 'Stock.Output'
        task.attempt
    }
}
