import Statechart
import Testing

/// Tests sets of macrosteps as a person writes them.
struct SeqSetTests {
    @Test(arguments: [
        ("3", "3", "3"), ("3,7-9", "3,7-9", "3, 7 to 9"), ("9,1-3,2-5,6", "1-6,9", "1 to 6, 9"), ("4-4", "4", "4"),
    ])
    func whatIsWrittenIsRead(text: String, canonical: String, told: String) {
        let seqs = SeqSet(text)
        #expect(seqs?.text == canonical && seqs?.description == told)
    }

    @Test(arguments: ["", "0", "-1", "1-", "3-2", "a", "1,,2", "1-2-3", "+1", " 1", "9223372036854775808"])
    func whatCannotBeReadIsNone(text: String) { #expect(SeqSet(text) == nil) }

    @Test func aSetHasABound() {
        let numbers = (1...SeqSet.bound).map { "\($0 * 2)" }
        #expect(SeqSet(numbers.joined(separator: ",")) != nil)
        #expect(SeqSet((numbers + ["1"]).joined(separator: ",")) == nil)
    }

    @Test func itKnowsWhatItHolds() {
        let seqs = SeqSet([3...3, 7...9, 20...20])
        #expect((1...21).filter { seqs.contains($0) } == [3, 7, 8, 9, 20])
        #expect(seqs.within(8...10).text == "8-9" && seqs.first == 3 && seqs.last == 20)
    }
}
