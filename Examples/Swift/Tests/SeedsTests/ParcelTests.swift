import Seeds
import StateMachines
import Testing

struct ParcelTests {
    @Test func aParcelIsPackedInMemory() async throws {
        let host = MemoryHost()
        let items = Parcel.Context(items: ["pen", "ink"])
        let parcel = try await host.start(Parcel.self, "parcel-1", context: items)
        let worker = Task {
            try await host.work(Stock.self) { Stock.Output(weight: 4 * $0.input.items.count) }
        }
        for try await _ in parcel.transitions() {}
        #expect(try await parcel.read().context.receipt?.weight == 8)
        worker.cancel()
        try await worker.value
    }

    @Test func aParcelThatNobodyPacksIsRefused() async throws {
        let host = MemoryHost()
        let parcel = try await host.start(Parcel.self, "parcel-1")
        await host.advance(by: .seconds(24 * 60 * 60))
        #expect(try await parcel.read().state == .refused)
    }
}
