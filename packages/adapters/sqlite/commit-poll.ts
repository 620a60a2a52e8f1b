import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Looks, while somebody waits, whether another connection, of this process or another, has committed. */
export class CommitPoll {
  readonly #dataVersion: StatementSync
  readonly #everyMs: number
  readonly #onCommit: () => void
  #seen: unknown
  #timer: NodeJS.Timeout | undefined

  constructor(database: DatabaseSync, everyMs: number, onCommit: () => void) {
    this.#dataVersion = database.prepare('PRAGMA data_version')
    this.#everyMs = everyMs
    this.#onCommit = onCommit
  }

  /** What was committed since it last looked is found as well. */
  start(): void {
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref()
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
