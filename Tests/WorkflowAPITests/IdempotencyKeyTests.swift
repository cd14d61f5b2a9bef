import Testing
import WorkflowAPI

struct IdempotencyKeyTests {
    @Test(arguments: [0, 1, 1_645_557_742_000, 281_474_976_710_655] as [Int64])
    func aKeyThatIsMadeIsAUUIDOfVersionSevenAndSaysItsTime(milliseconds: Int64) throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            let key = IdempotencyKey.make(milliseconds: milliseconds, random: &random)
            #expect(key.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
            #expect(Int64(key.filter { $0 != "-" }.prefix(12), radix: 16) == milliseconds)
            #expect(IdempotencyKey.isValid(key))
        }
        let two = (0..<2).map { _ in IdempotencyKey.make(milliseconds: milliseconds, random: &random) }
        #expect(two[0] != two[1])
    }

    @Test func aKeyIsPrintableASCII() {
        for key in ["a", " ~", String(repeating: "x", count: 200)] { #expect(IdempotencyKey.isValid(key)) }
        for key in ["", "é", "a\n", "\u{7F}", String(repeating: "x", count: 201)] {
            #expect(!IdempotencyKey.isValid(key))
        }
    }
}
