import { FeedLag } from '#packages/events/store/feed-lag.ts'
import { follow } from '#packages/events/store/follow.ts'
import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import { isForgetting } from '#packages/history/archive/archive-writer.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** An archive, or a folder that may become one. */
export type KnownArchive = {
  directory: string
  /** The position up to which the archive has every event; undefined if there is no archive yet. */
  position(): number | undefined
  /**
   * Removes forgotten streams from the archive, up to the end of the feed.
   * @throws ArchiveInUseError another process writes into it
   */
  forget(signal: AbortSignal): Promise<number>
}

export type ArchivesPorts = { store: EventStore; clock: Clock; log: Logger; archives: readonly KnownArchive[] }

/** Wait that lets several removals share one pass over an archive. */
const EVERY_MS = 10_000

/** Wait after a failure that needs an operator. */
const TRY_AGAIN_AFTER_MS = 10 * 60 * 1000

/** Removes forgotten streams from archives within a minute, until it is disposed of. */
export const forgetInArchives = (ports: ArchivesPorts): AsyncDisposable =>
  untilDisposed((signal) => new Forgetting(ports).run(signal))

class Forgetting {
  readonly #ports: ArchivesPorts
  /** The position up to which this process has removed forgotten streams from an archive. */
  readonly #done = new Map<KnownArchive, number>()
  readonly #notBefore = new Map<KnownArchive, number>()
  /** Position of the last decision to forget. */
  #newest = 0

  constructor(ports: ArchivesPorts) {
    this.#ports = ports
  }

  run(signal: AbortSignal): Promise<void> {
    const { clock, log, archives } = this.#ports
    return follow(
      this.#ports,
      {
        prefixes: ['removal-'],
        lag: new FeedLag(clock),
        begin: async () => beginningOf(archives),
        take: ({ events }) => {
          for (const { position } of events.filter(isForgetting)) this.#newest = Math.max(this.#newest, position)
        },
        watch: (own) => this.#tick(own),
        failed: (err) => {
          log.warn({ err }, 'what is forgotten cannot be followed; trying again')
          return TRY_AGAIN_AFTER_MS
        },
      },
      signal,
    )
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { clock, archives } = this.#ports
    while (!signal.aborted) {
      await clock.sleep(EVERY_MS, signal).catch(() => {})
      for (const archive of archives) if (!signal.aborted && this.#isDue(archive)) await this.#forgetIn(archive, signal)
    }
  }

  #isDue(archive: KnownArchive): boolean {
    const met = archive.position()
    if (met === undefined || this.#ports.clock.now() < (this.#notBefore.get(archive) ?? 0)) return false
    return this.#newest > Math.max(met, this.#done.get(archive) ?? 0)
  }

  async #forgetIn(archive: KnownArchive, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports
    const { directory } = archive
    const newest = this.#newest
    try {
      await archive.forget(signal)
      this.#done.set(archive, newest)
      log.info({ directory }, 'what was forgotten has left the archive')
    } catch (err) {
      // The process that writes into the archive may remove them itself. Otherwise the next turn does.
      if (signal.aborted || (err as { code?: unknown }).code === 'archive_in_use') return
      this.#notBefore.set(archive, clock.now() + TRY_AGAIN_AFTER_MS)
      log.error({ alarm: 'archive_keeps_forgotten', directory, err }, 'what was forgotten could not leave an archive')
    }
  }
}

/** The position that every archive has reached; 0 if there is no archive yet. */
function beginningOf(archives: readonly KnownArchive[]): number {
  const met = archives.flatMap((archive) => archive.position() ?? [])
  return met.length === 0 ? 0 : Math.min(...met)
}
