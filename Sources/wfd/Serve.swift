import ArgumentParser
import Foundation
import Logging
import SQLiteStore
import ServiceLifecycle
import UnixSignals
import WorkflowAPI
import WorkflowAccess
import WorkflowEffects
import WorkflowEngine
import WorkflowServer
import WorkflowSettings
import WorkflowStore
import WorkflowThreads

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the API until a signal stops wfd (the default).")

    @OptionGroup var options: SettingOptions

    func run() async throws {
        // A closing terminal sends it too, and must not end a long-running daemon.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let sources = options.sources
        let resolved = try sources.resolveOrTell()
        DaemonLog.level.set(resolved.settings.logLevel)
        let log = DaemonLog.begin()
        let logger = Logger(label: "wfd")
        // Files are accessible to the owner only; a socket is opened to its group when it is bound.
        umask(0o077)
        // Other programs take these as a hint.
        for number in [SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
        if getpid() == 1 { OrphanReaper.start() }
        do {
            let manager = ServiceManager(environment: ProcessInfo.processInfo.environment, logger: logger)
            let live = try LiveSettings(resolved.settings)
            let reload = SettingReload(
                sources: sources, started: resolved, takers: live.takers(since: resolved.settings, logger),
                logger: logger)
            try await serve(
                resolved.settings, live, ReloadService(signals: hangups, reload: reload, manager: manager), logger,
                log)
            DaemonLog.end(log)
        } catch {
            logger.critical("stopped", metadata: ["error": "\(error)"])
            DaemonLog.end(log)
            // Nothing is closed on exit: after an error of COMMIT the file must stay as it is.
            Foundation.exit(DaemonExit(error).rawValue)
        }
    }

    /// Returns all listening addresses with their routes.
    private func served(
        _ settings: Settings, _ places: DefaultPlaces, besideDatabase file: String
    ) throws -> [(address: ListenAddress, routes: RouteSelection)] {
        let addresses = try settings.listen.isEmpty ? [places.address(besideDatabase: file)] : settings.listen
        var served: [(address: ListenAddress, routes: RouteSelection)] = addresses.map { ($0, .all) }
        if let metrics = settings.metrics { served.append((metrics, .metrics)) }
        return served
    }

    /// Refuses a taken address before a database is created or opened in vain.
    private func refuseTaken(_ addresses: [ListenAddress], for database: DatabaseAddress) throws {
        do {
            for address in addresses { try address.refuseTaken() }
        } catch {
            // Often the other daemon also holds this database; that message says more.
            if case .file(let file) = database { try SQLiteFileStore.refuseHeld(at: file) }
            throw error
        }
    }

    /// Opens the database; finishes unfinished erasures first.
    private func open(
        _ database: DatabaseAddress, _ settings: Settings, _ book: AccessBook, _ manager: ServiceManager,
        _ logger: Logger
    ) async throws -> ServedStore {
        switch database {
        case .file(let file):
            let now = SystemClock().now()
            let latest = settings.clock == .real ? ServedStore.latest(now) : nil
            let boot = SystemBoot.id(orAs: ProcessInfo.processInfo.environment["WFD_BOOT_ID"])
            return try await .open(file: file, settings, at: now, notAfter: latest, boot: boot, manager, logger)
        case .postgres(let address):
            return try await Patience.waitForServer(logger, manager) {
                try await .open(address, settings, book, logger)
            }
        }
    }

    private func tell(_ shares: DescriptorShares, _ limits: ServerLimits, _ logger: Logger) {
        logger.log(
            level: shares.isReduced ? .warning : .info,
            shares.isReduced ? "few files may be open, so there are fewer connections and calls" : "descriptors",
            metadata: [
                "limit": "\(shares.limit)", "connectionsOfAnAddress": "\(limits.connections)",
                "calls": "\(shares.calls)",
            ])
    }

    private func serve(
        _ settings: Settings, _ live: LiveSettings, _ reload: ReloadService, _ logger: Logger, _ log: LogOutput
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let places = DefaultPlaces(environment: environment)
        let name = try settings.database ?? places.databaseFile()
        let database = try DatabaseAddress(name)
        if settings.peer != nil { try database.requireSeveralDaemons() }
        let shown = DatabaseURL.masked(name)
        let served = try served(settings, places, besideDatabase: name)
        let listened = served.map { $0.address } + [settings.peer].compactMap(\.self)
        let shares = try DescriptorShares.ofProcess(addresses: listened.count)
        try ListenAddress.refuseRepeated(listened)
        try await Patience.wait(logger) { try refuseTaken(listened, for: database) }
        let manager = reload.manager
        manager.show("opening \(shown)")
        let opened = try await manager.extending {
            try await Patience.wait(logger) { try await open(database, settings, live.book, manager, logger) }
        }
        try live.book.open(opened.tokens)
        logger.info(
            "serving",
            metadata: ["database": "\(shown)", "found": "\(opened.found)", "version": "\(Build.version)"])
        let time: any WallClock = settings.clock == .real ? SystemClock() : VirtualClock(at: opened.last)
        let executors = try Executors(
            settings, environment: environment, calls: shares.calls, log: opened.attempts)
        for program in settings.missingPrograms {
            logger.warning(
                "a program of --exec cannot be run: what calls it is held",
                metadata: ["name": "\(program.name)", "path": "\(program.path)"])
        }
        var limits = EngineLimits()
        limits.brake = settings.brake
        let engine = Engine(
            store: opened.store, clock: time, limits: limits, executors: executors.all,
            answering: WorkflowServer.resuming, ownership: opened.term, logger: logger)
        let serverLimits = ServerLimits(allConnections: shares.connections)
        tell(shares, serverLimits, logger)
        let requests = RequestMetrics { log.linesLost }
        tellInTheClear(settings, served.map { $0.address }, logger)
        let addresses = try AddressServers(
            served, settings, live, engine: engine, term: opened.term, limits: serverLimits, http: executors.http,
            metrics: requests, logger: logger)
        let beat = BeatService(
            engine: engine, manager: manager, addresses: addresses.servers.count, listening: addresses.listening,
            status: "serving " + served.map { "\($0.address)" }.joined(separator: ", "))
        let watch = AccessWatch(live.book, engine: engine)
        let renewal = live.certificate.map { [CertificateRenewal($0, logger: logger) as any Service] } ?? []
        let lasting: [any Service] = manager.isThere ? [watch, reload, beat] : [watch, reload]
        let term: [any Service] = opened.term.map { [$0] } ?? []
        try await run(term + [engine] + engine.runners + addresses.servers + renewal + lasting, logger)
        await executors.http.shutdown()
        let counts = engine.statistics.counts
        logger.info(
            "stopped",
            metadata: [
                "database": "\(shown)", "events": "\(counts.events)", "batches": "\(counts.batches)",
                "largestBatch": "\(counts.largestBatch)", "commits": "\(counts.commits)",
            ])
    }

    private func tellInTheClear(_ settings: Settings, _ addresses: [ListenAddress], _ logger: Logger) {
        for address in addresses where settings.isInTheClear && !address.isLocal {
            logger.warning(
                "an address beyond loopback has no TLS: everybody on the way reads and changes what is sent",
                metadata: ["address": "\(address)"])
        }
    }

    /// Runs services until a signal. They stop in the opposite order: first new requests, then the writer, after all
    /// accepted commands are written. Between them, running effects have time to end, and their results are still
    /// written.
    private func run(_ services: [any Service], _ logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { service in
                .init(service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger.quieter)
        configuration.maximumGracefulShutdownDuration = .seconds(35)
        try await ServiceGroup(configuration: configuration).run()
    }
}
