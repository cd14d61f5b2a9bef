import Foundation
import Testing
import WorkflowStore

@testable import WorkflowServer  // Tokens are no part of what the daemon uses.

/// Tests page tokens of an earlier release.
@Suite struct PageTokenTests {
    @Test(arguments: [
        (#"[1,"i",["lamp","m"],["running"],["a"],null,["b"],null,1,"running",7]"#, ["a"], ["b"], ["lamp", "m"]),
        (#"[1,"i","lamp","running","a.b",null,"boom",null,1,"running",7]"#, ["a.b"], ["boom"], ["lamp"]),
        (#"[1,"i",null,null,null,null,null,null,1,"running",7]"#, [], [], []),
        (#"[1,"i",null,["running"],["a","b"],null,["boom"],null,1,"running",7]"#, ["a", "b"], ["boom"], []),
    ])
    func aLoneFilterIsOneOfAList(fields: String, states: [String], failures: [String], machines: [MachineName]) throws {
        let (generation, token) = try PageToken.read(Data(fields.utf8).base64EncodedString())
        guard case .instances(let query, _) = token else {
            Issue.record("\(token)")
            return
        }
        #expect(generation == 1 && query.states == states && query.failures == failures && query.machines == machines)
        #expect(query.statuses == (states.isEmpty ? [] : [.running]))
        #expect(query.updatedAfter == nil)
    }

    /// A row that was ahead of the clock at the request for the first page is ahead for all pages.
    @Test func thePresentIsThatOfTheFirstPage() throws {
        let ahead = Data(#"[1,"i",null,null,null,null,null,null,1,"running",7,1700]"#.utf8).base64EncodedString()
        guard case .instances(let query, _) = try PageToken.read(ahead).token else {
            Issue.record("another token")
            return
        }
        #expect(query.updatedAfter == Timestamp(rawValue: 1_700))
        let place = InstanceListPlace(machineID: MachineID(rawValue: 1), status: .running, id: InstanceID(rawValue: 7))
        #expect(query.after == .found(place))
        for bad in [#""x""#, "1,2", "null", #"null,"a",1"#] {
            let text = #"[1,"i",null,null,null,null,null,null,1,"running",7,\#(bad)]"#
            #expect(throws: (any Error).self) { try PageToken.read(Data(text.utf8).base64EncodedString()) }
        }
    }

    @Test func aListKeepsItsVersions() throws {
        var query = InstanceQuery(machines: ["order"], versions: [2, 3], limit: 0)
        query.after = .found(
            InstanceListPlace(machineID: MachineID(rawValue: 1), status: .running, id: InstanceID(rawValue: 7)))
        let text = try PageToken.instances(query, nil).text(generation: 1)
        #expect(try PageToken.read(text).token == .instances(query, nil))
        for bad in ["2", #"["2"]"#, "[2.5]", #"[2],3"#] {
            let text = #"[1,"i",null,null,null,null,null,null,1,"running",7,null,null,null,\#(bad)]"#
            #expect(throws: (any Error).self) { try PageToken.read(Data(text.utf8).base64EncodedString()) }
        }
    }

    @Test func aListByNameKeepsItsPrefix() throws {
        var query = InstanceQuery(prefix: "order-%", order: .name, limit: 0)
        query.after = .ranked(InstanceRank(time: 0, name: "order-%1", id: InstanceID(rawValue: 7)))
        #expect(try PageToken.read(PageToken.instances(query, nil).text(generation: 1)).token == .instances(query, nil))
        query.updatedAfter = Timestamp(rawValue: 5)
        #expect(try PageToken.read(PageToken.instances(query, nil).text(generation: 1)).token == .instances(query, nil))
    }
}
