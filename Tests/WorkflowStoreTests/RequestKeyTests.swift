import Statechart
import Testing
import WorkflowStore

@Suite struct RequestKeyTests {
    @Test(arguments: [
        "a", "order-1042/pay", "fifteen letters", "sixteen letters!", " ", "~", String(repeating: "x", count: 200),
    ])
    func aTextComesBackAsItWas(text: String) throws {
        let key = try #require(RequestKey(text: text))
        #expect(key.text == text && key.time == nil)
        #expect(RequestKey(bytes: key.bytes) == key)
    }

    @Test func aUUIDIsItsSixteenBytesWhateverItsCase() throws {
        let lower = "019aa000-0000-7000-8000-00000000abcd"
        let key = try #require(RequestKey(text: lower))
        #expect(key.bytes == [0x01, 0x9A, 0xA0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0xAB, 0xCD])
        #expect(key.text == lower)
        #expect(RequestKey(text: lower.uppercased()) == key)
    }

    /// With the byte before them, fifteen and sixteen characters have the lengths at which a mix-up could happen.
    @Test func aTextIsNeverTakenForAUUID() throws {
        for text in ["fifteen letters", "sixteen letters!"] {
            let key = try #require(RequestKey(text: text))
            #expect(key.text == text && key.time == nil)
        }
        let uuid = RequestKey(bytes: Array("sixteen letters!".utf8))
        #expect(try #require(RequestKey(text: "sixteen letters!")) != uuid)
        let zero = try #require(RequestKey(text: "00666966-7465-656e-206c-657474657273"))
        #expect(try #require(RequestKey(text: "fifteen letters")) != zero)
    }

    @Test(arguments: ["", String(repeating: "x", count: 201), "é", "a\tb", "a\nb", "\u{7F}", "☂"])
    func otherTextsAreNoKeys(text: String) {
        #expect(RequestKey(text: text) == nil)
    }

    @Test(
        arguments: [
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", 1_645_557_742_000), ("00000000-0000-7000-8000-000000000000", 0),
            ("ffffffff-ffff-7fff-bfff-ffffffffffff", 281_474_976_710_655),
            ("017f22e2-79b0-4cc3-98c4-dc0c0c07398f", nil),
            ("017f22e2-79b0-7cc3-18c4-dc0c0c07398f", nil), ("017f22e2-79b0-7cc3-d8c4-dc0c0c07398f", nil),
        ] as [(String, Int64?)])
    func onlyVersionSevenSaysATime(text: String, milliseconds: Int64?) throws {
        #expect(try #require(RequestKey(text: text)).time == milliseconds.map(Timestamp.init(rawValue:)))
    }

    @Test func scopesOfInstancesAndMachinesDoNotMeet() {
        #expect(KeyScope.instance(InstanceID(rawValue: 7)).rawValue == 7)
        #expect(KeyScope.machine(MachineID(rawValue: 7)).rawValue == -7)
    }
}
