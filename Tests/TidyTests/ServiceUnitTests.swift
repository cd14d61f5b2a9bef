import Testing

/// The unit tells systemd what to do when wfd, or a program that it runs, ends.
@Suite struct ServiceUnitTests {
    /// The values of a setting, in their order.
    private static func values(of setting: String) -> [String] {
        Repository.file("systemd/wfd.service").lines.filter { $0.hasPrefix(setting + "=") }.map {
            String($0.dropFirst(setting.count + 1))
        }
    }

    /// Its own memory is not what the kernel kills wfd for.
    @Test func aProgramThatTakesTooMuchMemoryTakesNobodyAlong() {
        #expect(Self.values(of: "OOMPolicy") == ["continue"])
        // A power cut is told from a program that ends wfd by the boot, which /proc does not tell here.
        #expect(Self.values(of: "ProcSubset") == ["pid"])
        #expect(Self.values(of: "Environment") == ["WFD_BOOT_ID=%b"])
    }

    /// A command line, a file that is not ours, a place that cannot be written. Not 74: a disk has room again in time.
    @Test func onlyWhatStaysWrongIsNotStartedAgain() {
        #expect(Self.values(of: "Restart") == ["on-failure"])
        #expect(Self.values(of: "RestartPreventExitStatus") == ["64 65 73"])
        #expect(Self.values(of: "StartLimitIntervalSec") == ["0"])
    }
}
