import Testing
import WorkflowJSON

@Suite struct JSONObjectTests {
    @Test func onlyAKeyThatIsThereIsReplaced() {
        var object: JSONObject = ["a": 1, "b": 2]
        let isReplaced = [object.replace(3, forKey: "b"), object.replace(4, forKey: "c")]
        #expect(isReplaced == [true, false])
        #expect(object == ["a": 1, "b": 3])
    }

    /// The keys are prefixes of one another, and are added in several orders.
    @Test func eachKeyIsFoundAmongAllOthers() {
        let keys = ["", "a", "aa", "ab", "b", "ba", "é"]
        for first in keys.indices {
            var object = JSONObject()
            for (number, key) in (keys[first...] + keys[..<first]).enumerated() {
                #expect(object[key] == nil)
                object[key] = .int(Int64(number))
                #expect(object[key] == .int(Int64(number)))
                #expect(object.count == number + 1)
            }
            #expect(object.keys == keys)
            object[keys[first]] = nil
            #expect(object.keys == keys.filter { $0 != keys[first] })
        }
    }
}
