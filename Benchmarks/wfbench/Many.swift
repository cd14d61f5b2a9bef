/// Calls a function a number of times, 512 at once.
func many(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<512 {
            group.addTask {
                var number = lane
                while number < count {
                    try await body(number)
                    number += 512
                }
            }
        }
        try await group.waitForAll()
    }
}
