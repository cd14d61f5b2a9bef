import WorkflowAPI
import WorkflowCalls
import WorkflowTerminal

/// The part of a machine's page that lists its versions.
enum VersionsPart {
    /// The most versions that are listed.
    private static let shownVersions: Int64 = 20

    /// - Parameter shown: The version that the page shows.
    static func markup(
        _ latest: MachineSummary, shown: Int64, _ tally: MachineTally, _ client: WorkflowClient
    ) async throws -> Markup {
        let name = latest.machine
        // Older rows than these are left out; then the times are not known here.
        let applied = try await client.audit(AuditParameters(action: .apply, limit: APILimits.largestPageItems)).items
        let first = max(1, latest.version - shownVersions + 1)
        var table = DataTable(
            "Versions, the latest first", "Version", "Applied", "By", "Instances", "Failed", "What differs")
        for version in (first...max(first, latest.version)).reversed() {
            let item = applied.first { $0.object == name && $0.version == version }
            let count = tally.versions[version] ?? MachineTally.Count()
            table.add {
                Tag.a(.href(.machine(name, version: version)), .current(version == shown)) { "\(version)" }
                Words.time(item?.at ?? (version == latest.version ? latest.createdAt : nil))
                item?.actor ?? "–"
                instances(count.all, .init(machines: [name], versions: [version]))
                instances(count.failed, .init(machines: [name], versions: [version], statuses: [.failed]))
                version > 1 ? difference(name, version, version - 1) : Markup(text: "–")
            }
        }
        return table.markup
            + (first > 1 ? Tag.p(.class("note")) { "Versions 1 to \(first - 1) are left out of the list." } : Markup())
            + (latest.version > 1 ? form(name, latest.version, shown) : Markup())
    }

    private static func instances(_ count: Int64, _ list: InstanceListParameters) -> Markup {
        count == 0 ? Markup(text: "–") : Tag.a(.href(.instances(list))) { CountText.grouped(count) }
    }

    private static func difference(_ name: String, _ version: Int64, _ other: Int64) -> Markup {
        let link = Link("machines", name, [("version", "\(version)"), ("against", "\(other)")])
        return Tag.a(.href(link)) { "from version \(other)" }
    }

    /// Returns a form for any two versions.
    private static func form(_ name: String, _ latest: Int64, _ shown: Int64) -> Markup {
        func field(_ name: StaticString, _ label: String, _ value: Int64) -> Markup {
            Tag.div {
                Tag.label(.for("v-\(name)")) { label }
                Tag.input(.type("text"), .id("v-\(name)"), .name(name), .value("\(value)"), .autocomplete("off"))
            }
        }
        return Tag.form(.class("filter"), .method("get"), .action(.machine(name)), .label("Compare versions")) {
            field("version", "Version", shown)
            field("against", "Against", max(1, shown - 1))
            Tag.button(.type("submit")) { "Compare" }
        }
    }
}
