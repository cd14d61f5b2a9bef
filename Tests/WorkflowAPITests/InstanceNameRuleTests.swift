import Testing
import WorkflowAPI

struct InstanceNameRuleTests {
    @Test(arguments: ["a", "0", "order-1042", "A_b.c:d@e", String(repeating: "x", count: 200)])
    func namesOfCallersAreTaken(name: String) {
        #expect(InstanceNameRule.isValid(name))
        #expect(InstanceNameRule.isAddressable(name))
    }

    @Test(arguments: [".", ".."])
    func stepsOfAPathAreNoNames(name: String) {
        #expect(!InstanceNameRule.isValid(name))
    }

    @Test(arguments: ["...", ".a", "a.", "-"])
    func otherNamesOfDotsAreTaken(name: String) {
        #expect(InstanceNameRule.isValid(name))
    }

    @Test(arguments: ["", "a b", "a/b", "é", "a\n", String(repeating: "x", count: 201)])
    func otherNamesAreNot(name: String) {
        #expect(!InstanceNameRule.isValid(name))
        #expect(!InstanceNameRule.isAddressable(name))
    }

    @Test func onlyChildrenHaveATilde() {
        #expect(!InstanceNameRule.isValid("order~1"))
        #expect(InstanceNameRule.isAddressable("order~1"))
    }
}
