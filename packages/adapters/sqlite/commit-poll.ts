import type { DatabaseSync, StatementSync } from 'node:sqlite'

const EVERY_MS = 250

/** Looks, while somebody waits, whether another connection, of this process or another, has committed. */
export class CommitPoll {
  readonly #dataVersion: StatementSync
  readonly #onCommit: () => void
  #seen: unknown
  #timer: NodeJS.Timeout | undefined

  constructor(database: DatabaseSync, onCommit: () => void) {
    this.#dataVersion = database.prepare('PRAGMA data_version')
    this.#onCommit = onCommit
  }

  /** What was committed since it last looked is found as well. */
  start(): void {
    this.#timer ??= setInterval(() => this.#look(), EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    const version = this.#dataVersion.get()?.data_version
    if (version === this.#seen) return
    this.#seen = version
    this.#onCommit()
  }
}
