import Testing

@testable import WorkflowServer  // The bounds of connections are no part of what the daemon uses.

/// Tests the numbers of connections and calls that a process may have, for every limit of open files.
@Suite struct DescriptorSharesTests {
    @Test(arguments: [1, 2, 5, 20], [1, 2, 64])
    func allTogetherStayBelowTheLimit(addresses: Int, cores: Int) throws {
        var served = 0
        for limit in Array(0..<3_000) + [4_096, 20_000, 65_536, 1 << 20, Int(Int32.max), .max] {
            let shares: DescriptorShares
            do throws(TooFewDescriptors) {
                shares = try DescriptorShares(limit: limit, addresses: addresses, cores: cores)
            } catch {
                // A limit that is enough stays enough with more descriptors, and the message says how many are needed.
                #expect(served == 0, "\(limit)")
                let needed = try #require("\(error)".firstMatch(of: /: (\d+) are needed at least/))
                let least = try #require(Int(needed.1))
                #expect(least > limit)
                _ = try DescriptorShares(limit: least, addresses: addresses, cores: cores)
                continue
            }
            served += 1
            let limits = ServerLimits(allConnections: shares.connections)
            #expect(limits.allConnections <= shares.connections)
            let open = addresses * limits.allConnections + 2 * shares.calls + 64 + 14 * cores
            #expect(open <= limit, "\(open) of \(limit)")
            #expect(limits.connections > 0 && limits.extraConnections > 0 && limits.shortConnections > 0)
            #expect(limits.shortConnections < limits.connections && shares.calls > 0)
        }
        #expect(served > 0)
    }

    @Test func whoHasEnoughHasAll() throws {
        let shares = try DescriptorShares(limit: 65_536, addresses: 2, cores: 8)
        #expect(shares.connections == ServerLimits().allConnections && shares.calls == 256 && !shares.isReduced)
        let limits = ServerLimits(allConnections: shares.connections)
        #expect(limits.connections == 900 && limits.extraConnections == 50 && limits.shortConnections == 200)
        #expect(try DescriptorShares(limit: 1_024, addresses: 2, cores: 8).isReduced)
    }

    @Test func whoHasFarTooFewIsToldHowManyAreNeeded() {
        let error = #expect(throws: TooFewDescriptors.self) {
            try DescriptorShares(limit: 100, addresses: 2, cores: 2)
        }
        #expect(
            error?.description
                == "Cannot serve with 100 open files: 188 are needed at least; raise the limit ('ulimit -n', or "
                + "LimitNOFILE= of the unit)")
    }
}
