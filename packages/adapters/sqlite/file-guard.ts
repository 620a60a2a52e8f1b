import { statSync } from 'node:fs'

/** Names a file on a disk, whatever its path; undefined: there is none. */
type Identity = { device: number; inode: number; bytes: number } | undefined

function identityOf(path: string): Identity {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { device: found.dev, inode: found.ino, bytes: found.size }
}

const isSame = (one: Identity, other: Identity): boolean => one?.device === other?.device && one?.inode === other?.inode

/**
 * Whether the event file and its log are still those that were opened. SQLite itself goes on with files that were deleted
 * or replaced, and what it writes then is gone with them. It costs two calls of the system.
 */
export class FileGuard {
  readonly #path: string
  readonly #file: Identity
  readonly #log: Identity
  #bytes: number

  /** To be made when the file is open, and its log is there. */
  constructor(path: string) {
    this.#path = path
    this.#file = identityOf(path)
    this.#log = identityOf(`${path}-wal`)
    this.#bytes = this.#file?.bytes ?? 0
  }

  /** What has happened to them, in words; undefined: nothing. The file only grows while it is open. */
  problem(): string | undefined {
    const now = identityOf(this.#path)
    if (now === undefined) return 'was deleted while the service runs'
    if (!isSame(now, this.#file)) return 'was replaced by another one while the service runs'
    if (!isSame(identityOf(`${this.#path}-wal`), this.#log)) return 'lost its log while the service runs'
    if (now.bytes < this.#bytes) return 'was overwritten by a shorter one while the service runs'
    this.#bytes = now.bytes
    return undefined
  }
}
