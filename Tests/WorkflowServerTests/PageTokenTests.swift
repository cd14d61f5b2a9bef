import Foundation
import Testing
import WorkflowStore

@testable import WorkflowServer  // Tokens are no part of what the daemon uses.

/// Page tokens of an earlier release.
@Suite struct PageTokenTests {
    @Test(arguments: [
        (#"[1,"i",null,"running","a.b",null,"boom",null,1,"running",7]"#, ["a.b"], ["boom"]),
        (#"[1,"i",null,null,null,null,null,null,1,"running",7]"#, [], []),
        (#"[1,"i",null,["running"],["a","b"],null,["boom"],null,1,"running",7]"#, ["a", "b"], ["boom"]),
    ])
    func aLoneFilterIsOneOfAList(fields: String, states: [String], failures: [String]) throws {
        let (generation, token) = try PageToken.read(Data(fields.utf8).base64EncodedString())
        guard case .instances(let query) = token else {
            Issue.record("\(token)")
            return
        }
        #expect(generation == 1 && query.states == states && query.failures == failures)
        #expect(query.statuses == (states.isEmpty ? [] : [.running]))
    }
}
