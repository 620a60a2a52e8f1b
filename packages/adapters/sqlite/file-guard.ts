import { statSync } from 'node:fs'
import { readShortest } from './end-mark.ts'

/** Identifies a file on a disk, whatever its path; undefined if there is none. */
type Identity = { device: number; inode: number; bytes: number } | undefined

function identityOf(path: string): Identity {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { device: found.dev, inode: found.ino, bytes: found.size }
}

const isSame = (one: Identity, other: Identity): boolean => one?.device === other?.device && one?.inode === other?.inode

/**
 * Checks whether the event file and its log are still those that were opened. SQLite itself keeps writing to deleted or
 * replaced files, and loses those writes. A check costs two system calls.
 */
export class FileGuard {
  readonly #path: string
  readonly #file: Identity
  readonly #log: Identity
  #bytes: number

  /** Constructed once the file is open and its log exists. */
  constructor(path: string) {
    this.#path = path
    this.#file = identityOf(path)
    this.#log = identityOf(`${path}-wal`)
    this.#bytes = this.#file?.bytes ?? 0
  }

  /**
   * What has happened to the files, in words; undefined if nothing has. The file may shrink only to the length noted
   * beside it.
   */
  problem(): string | undefined {
    const now = identityOf(this.#path)
    if (now === undefined) return 'was deleted while the service runs'
    if (!isSame(now, this.#file)) return 'was replaced by another one while the service runs'
    if (!isSame(identityOf(`${this.#path}-wal`), this.#log)) return 'lost its log while the service runs'
    if (now.bytes < this.#bytes && now.bytes < (readShortest(this.#path) ?? this.#bytes))
      return 'was overwritten by a shorter one while the service runs'
    this.#bytes = now.bytes
    return undefined
  }
}
