import type { DatabaseSync, StatementSync } from 'node:sqlite'

const EVERY_MS = 250

/** While there are waiters, polls for commits of other connections, in this process or another. */
export class CommitPoll {
  readonly #dataVersion: StatementSync
  readonly #onCommit: () => void
  #seen: unknown
  #timer: NodeJS.Timeout | undefined

  constructor(database: DatabaseSync, onCommit: () => void) {
    this.#dataVersion = database.prepare('PRAGMA data_version')
    this.#onCommit = onCommit
  }

  /** Also finds commits since the last look. */
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
