import WorkflowAPI
import WorkflowClient

/// Goes through the pages of a list.
struct PageWalk {
    /// The largest total number of items; `nil` for all.
    let limit: Int?

    /// Requests page after page and passes each on, until the last page or the limit is reached.
    func run<Item: WireObject>(
        address: Address,
        fetch: (_ limit: Int?, _ page: String?) async throws -> Page<Item>,
        print: ([Item]) throws -> Void
    ) async throws {
        var rest = limit
        var token: String?
        repeat {
            let size = rest.map { min($0, APILimits.largestPageItems) } ?? APILimits.largestPageItems
            let page = try await fetch(size, token)
            let items = rest.map { Array(page.items.prefix($0)) } ?? page.items
            try print(items)
            rest = rest.map { $0 - items.count }
            guard page.nextPage == nil || page.nextPage != token else {
                throw ClientError.protocolViolation(address, reason: "a page names itself as its next one")
            }
            token = page.nextPage
        } while token != nil && rest != 0
    }
}

extension Session {
    /// Prints a list, page by page.
    ///
    /// - Parameters:
    ///   - limit: The largest number of items; `nil` for all.
    ///   - spare: A last column that is left out as long as no item has a text for it.
    func printList<Item: WireObject>(
        limit: Int?, columns: [Table<Item>.Column], spare: Table<Item>.Column? = nil,
        fetch: (_ client: WorkflowClient, _ limit: Int?, _ page: String?) async throws -> Page<Item>
    ) async throws {
        var printer = ListPrinter(self, columns: columns, spare: spare)
        try await withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await fetch(client, size, page)
            } print: {
                try printer.add($0)
            }
        }
        try printer.end()
    }
}
