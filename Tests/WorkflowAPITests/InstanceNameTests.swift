import Testing
import WorkflowAPI

struct InstanceNameTests {
    @Test(arguments: ["a", "0", "order-1042", "A_b.c:d@e", String(repeating: "x", count: 200)])
    func namesOfCallersAreTaken(name: String) {
        #expect(InstanceName.isValid(name))
        #expect(InstanceName.isAddressable(name))
    }

    @Test(arguments: [".", ".."])
    func stepsOfAPathAreNoNames(name: String) {
        #expect(!InstanceName.isValid(name))
    }

    @Test(arguments: ["...", ".a", "a.", "-"])
    func otherNamesOfDotsAreTaken(name: String) {
        #expect(InstanceName.isValid(name))
    }

    @Test(arguments: ["", "a b", "a/b", "é", "a\n", String(repeating: "x", count: 201)])
    func otherNamesAreNot(name: String) {
        #expect(!InstanceName.isValid(name))
        #expect(!InstanceName.isAddressable(name))
    }

    @Test func onlyChildrenHaveATilde() {
        #expect(!InstanceName.isValid("order~1"))
        #expect(InstanceName.isAddressable("order~1"))
    }
}
