import DaemonTesting
import Testing
import WorkflowJSON

/// Tests the files of plans for migrations: the mistakes in them, and what they do.
@Suite struct MigrationPlanTests {
    @Test(.timeLimit(.minutes(20))) func aPlanIsYAMLOrJSONAndItsMistakesAreTold() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(BadRequestMachines.tour, to: "tour.yaml"))
        for name in ["y", "j"] { _ = try await daemon.said("start", "tour", name) }
        _ = try await daemon.saidInTime("apply", folder.write(BadRequestMachines.shortTour, to: "tour2.yaml"))
        let wrong = [
            ("", "it is empty"),
            ("map: {both.left: only}\nmaps: {}\n", "Unknown field 'maps'"),
            ("drop: [both.right]\ndrop: []\n", "2:1: "),
            ("map: {both.left: only\n", "2:1: not valid YAML: "),
            ("timers: soon\n", "Field 'timers' must be "),
        ]
        for (text, why) in wrong {
            let path = try folder.write(text, to: "wrong.yaml")
            let told = try await daemon.wfctl("migrate", "y", "--to", "2", "--plan", path, "--reason", "r")
            #expect(told.end == .exited(65), "\(text): \(told)")
            #expect(told.errors.contains("'\(path)' is no plan of a migration: \(why)"), "\(text): \(told)")
        }
        let yaml = try folder.write("map:\n  both.left: only  # all below too\n", to: "plan.yaml")
        let json = try folder.write(#"{"map": {"both.left": "only"}, "drop": ["both.right"]}"#, to: "plan.json")
        // Options given beside a plan are added to it.
        _ = try await daemon.said(
            "migrate", "y", "--to", "2", "--plan", yaml, "--drop", "both.right", "--reason", "r")
        _ = try await daemon.said("migrate", "j", "--to", "2", "--plan", json, "--reason", "r")
        for name in ["y", "j"] { #expect(try await daemon.json("show", name)["version"] == 2) }
        #expect(try await daemon.stop().end == .exited(0))
    }
}
