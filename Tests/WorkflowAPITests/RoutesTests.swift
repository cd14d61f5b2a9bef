import Testing
import WorkflowAPI

struct RoutesTests {
    @Test(arguments: [
        ("order-1042", "/v1/instances/order-1042"),
        ("a:b@c_d.e", "/v1/instances/a%3Ab%40c_d.e"),
        ("a/b?c#d e", "/v1/instances/a%2Fb%3Fc%23d%20e"),
        ("é\n", "/v1/instances/%C3%A9%0A"),
        (".", "/v1/instances/%2E"), ("..", "/v1/instances/%2E%2E"), ("...", "/v1/instances/..."),
        ("x~1", "/v1/instances/x~1"),
    ])
    func namesAreEncodedAsOneSegment(name: String, path: String) {
        #expect(Routes.instance(name) == path)
    }

    @Test func routesOfTheAPI() {
        #expect(Routes.machine("order") == "/v1/machines/order")
        #expect(Routes.machine("order", version: 3) == "/v1/machines/order/versions/3")
        #expect(Routes.events(ofInstance: "o") == "/v1/instances/o/events")
        #expect(Routes.history(ofInstance: "o") == "/v1/instances/o/history")
        #expect(Routes.replay(ofInstance: "o") == "/v1/instances/o/replay")
        #expect(Routes.replay(ofMachine: "m") == "/v1/machines/m/replay")
        #expect(Routes.verify == "/v1/verify" && Routes.verify(ofInstance: "o") == "/v1/instances/o/verify")
        #expect(Routes.live == "/livez" && Routes.ready == "/readyz")
    }
}

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
