/// The migration of an instance's active states to another version.
struct StateMigration {
    /// The states of the new version that stand for active states, in document order; they are neither left nor
    /// entered.
    private(set) var kept: [StateIndex] = []
    /// The states that are active after the migration, without the root. The states that are not in `kept` are entered.
    private(set) var entry: EntrySet
    private(set) var misfits: [Misfit] = []
    /// The states that the active leaves lead to.
    private(set) var targets: [StateIndex] = []
    /// The kept states with the active states of the old version that each stands for, sorted by both in document
    /// order.
    private var images: [(image: StateIndex, source: StateIndex)] = []

    /// The states of `targets`, each once, in document order.
    private(set) var leaves: [StateIndex] = []

    init(_ snapshot: Snapshot, memory: [HistoryMemory], by migration: Migration) {
        entry = EntrySet(machine: migration.new)
        let leaves = snapshot.configuration.filter {
            migration.old[$0].isLeaf && !migration.dropped.contains($0)
        }
        var places: [StateIndex: StateIndex] = [:]
        for leaf in leaves {
            guard let target = target(of: leaf, by: migration) else { continue }
            targets.append(target)
            if leaves.count > 1 { check(target, of: leaf, by: migration, &places) }
        }
        if leaves.isEmpty {
            misfits.append(Misfit("drop", "every active state is dropped; map one: --map OLD=NEW"))
        }
        guard misfits.isEmpty else { return }
        self.leaves = targets.distinct()
        // A target above another target is entered on the way to the lower target.
        let lowest = targets.filter { target in
            !targets.contains { migration.new[target].isProperAncestor(of: $0) }
        }
        entry.add(lowest, effective: lowest, domain: .root, memory: memory)
        let active = [.root] + entry.states
        for index in snapshot.configuration where !migration.dropped.contains(index) {
            guard let image = migration.images[index.offset], active.containsSorted(image),
                migration.isReached(image, from: index)
            else { continue }
            images.append((image, index))
        }
        images.sort { $0 < $1 }
        kept = images.map(\.image).distinct()
        if !migration.new.isConfiguration(active) {
            misfit(migration, "is never in these states together; --map OLD=NEW")
        } else if migration.new[.root].kind == .parallel, isDone(.root, in: migration.new) {
            misfit(migration, "ends in these states, and nothing is entered there")
        }
    }

    /// Returns true if all regions have finished before any state is entered; the instance would not notice its end.
    private func isDone(_ index: StateIndex, in new: Machine) -> Bool {
        let state = new[index]
        return switch state.kind {
        case .parallel: state.children.allSatisfy { isDone($0, in: new) }
        case .compound: state.children.contains { new[$0].kind == .final && kept.containsSorted($0) }
        default: false
        }
    }

    /// Returns the new state that stands for a state of the old version; `nil` if it is gone or not active.
    func image(of source: StateIndex) -> StateIndex? { images.first { $0.source == source }?.image }

    /// Returns the active states of the old version that a state of `kept` stands for.
    func sources(of image: StateIndex) -> [StateIndex] { images.filter { $0.image == image }.map(\.source) }

    private mutating func target(of leaf: StateIndex, by migration: Migration) -> StateIndex? {
        let path = migration.old[leaf].path
        guard let image = migration.images[leaf.offset] else {
            let wanted = Migration.target(of: leaf, in: migration.old, migration.plan.map)
            let closest = migration.new.closestState(to: wanted) ?? "STATE"
            return misfit(
                path, "version \(migration.newVersion) has no state '\(wanted)'; --map \(path)=\(closest)")
        }
        let state = migration.new[image]
        if state.isHistory {
            return misfit(
                path, "'\(state.path)' is a history state in version \(migration.newVersion); --map \(path)=STATE")
        }
        // An instance moved to a top-level final state would have finished without noticing its end.
        if state.kind == .final, !migration.isReached(image, from: leaf) || state.parent == .root {
            return misfit(
                path,
                "'\(state.path)' is final in version \(migration.newVersion), where nothing is moved to; "
                    + "--map \(path)=STATE")
        }
        return image
    }

    private mutating func misfit(_ path: String, _ reason: String) -> StateIndex? {
        misfits.append(Misfit(path, reason))
        return nil
    }

    /// Records that each leaf has a place, but the places do not fit together.
    private mutating func misfit(_ migration: Migration, _ reason: String) {
        let paths = migration.new.paths(of: targets).joined(separator: ", ")
        misfits.append(Misfit(paths, "version \(migration.newVersion) \(reason)"))
    }

    /// Records leaves that lead below different children of one compound state.
    private mutating func check(
        _ target: StateIndex, of leaf: StateIndex, by migration: Migration, _ places: inout [StateIndex: StateIndex]
    ) {
        var child = target
        while let parent = migration.new[child].parent {
            if migration.new[parent].kind == .compound {
                if let other = places[parent], other != child {
                    let names = [other, child].map { "'\(migration.new[$0].path)'" }.joined(separator: " and ")
                    let path = migration.old[leaf].path
                    misfits.append(
                        Misfit(
                            path,
                            "\(names) are not active together in version \(migration.newVersion); "
                                + "--map \(path)=STATE or --drop \(path)"))
                    return
                }
                places[parent] = child
            }
            child = parent
        }
    }
}

extension Migration {
    /// Returns true if a state of the new version may stand for an active state. Only a final state can become a final
    /// state.
    fileprivate func isReached(_ image: StateIndex, from index: StateIndex) -> Bool {
        new[image].kind != .final || old[index].kind == .final
    }
}

/// The migration of the history states' memory to another version.
struct MemoryMigration {
    private(set) var memory: [HistoryMemory] = []
    /// The paths of history states whose memory has no place.
    private(set) var forgotten: [String] = []

    init(_ old: [HistoryMemory], by migration: Migration) {
        for remembered in old {
            // If several memories lead to one history state, the first in document order is kept.
            if let moved = Self.moved(remembered, by: migration),
                !memory.contains(where: { $0.history == moved.history })
            {
                memory.append(moved)
            } else {
                forgotten.append(migration.old[remembered.history].path)
            }
        }
        memory.sort { $0.history < $1.history }
    }

    private static func moved(_ remembered: HistoryMemory, by migration: Migration) -> HistoryMemory? {
        let new = migration.new
        guard let history = migration.images[remembered.history.offset], new[history].isHistory,
            let parent = new[history].parent
        else { return nil }
        var states: [StateIndex] = []
        for index in remembered.states {
            guard let image = migration.images[index.offset], new[parent].isProperAncestor(of: image) else {
                return nil
            }
            let fits = new[history].kind == .deepHistory ? new[image].isLeaf : new[image].parent == parent
            guard fits, !new[image].isHistory else { return nil }
            states.append(image)
        }
        states = states.distinct()
        guard states.allSatisfy({ one in states.allSatisfy { new.canBeTogether(one, $0) } }) else { return nil }
        return HistoryMemory(history: history, states: states)
    }
}

extension Machine {
    /// Returns true if two states can be active together: one lies in the other, or they are in different regions.
    fileprivate func canBeTogether(_ one: StateIndex, _ other: StateIndex) -> Bool {
        if one == other || self[one].isProperAncestor(of: other) || self[other].isProperAncestor(of: one) {
            return true
        }
        var above = self[one].parent
        while let index = above, !self[index].isProperAncestor(of: other) { above = self[index].parent }
        return above.map { self[$0].kind == .parallel } ?? false
    }
}

extension [StateIndex] {
    /// Returns the states, each once, in document order.
    fileprivate func distinct() -> [StateIndex] { count > 1 ? Set(self).sorted() : self }
}
