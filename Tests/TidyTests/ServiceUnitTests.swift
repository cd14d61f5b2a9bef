import Testing

/// Tests the unit: it tells systemd what to do when wfd, or a program that it runs, ends.
@Suite struct ServiceUnitTests {
    /// Returns the values of a setting, in their order.
    private static func values(of setting: String) -> [String] {
        Repository.file("systemd/wfd.service").lines.filter { $0.hasPrefix(setting + "=") }.map {
            String($0.dropFirst(setting.count + 1))
        }
    }

    /// The kernel must not kill wfd because of a program's memory.
    @Test func aProgramThatTakesTooMuchMemoryTakesNobodyAlong() {
        #expect(Self.values(of: "OOMPolicy") == ["continue"])
        // A power cut is told from a program that ends wfd by the boot, which /proc does not tell here.
        #expect(Self.values(of: "ProcSubset") == ["pid"])
        #expect(Self.values(of: "Environment") == ["WFD_BOOT_ID=%b"])
    }

    /// wfd speaks the protocol itself; older systems know no 'notify-reload'.
    @Test func theServiceManagerIsToldAndWatches() {
        #expect(Self.values(of: "Type") == ["notify"])
        #expect(Self.values(of: "WatchdogSec") == ["2min"])
    }

    /// The daemon finds its file in the folder, and reads it again at the signal.
    @Test func theServiceHasAFileOfSettings() {
        #expect(Self.values(of: "ConfigurationDirectory") == ["wfd"])
        #expect(Self.values(of: "ExecReload") == ["/bin/kill -HUP $MAINPID"])
        #expect(Self.values(of: "ExecStart") == ["/usr/bin/wfd serve"])
    }

    /// The reasons are a command line, a foreign file, unreadable settings, and a place that cannot be written. 74 is
    /// not among them, because a disk has room again in time.
    @Test func onlyWhatStaysWrongIsNotStartedAgain() {
        #expect(Self.values(of: "Restart") == ["on-failure"])
        #expect(Self.values(of: "RestartPreventExitStatus") == ["64 65 66 73"])
        #expect(Self.values(of: "StartLimitIntervalSec") == ["0"])
    }
}
