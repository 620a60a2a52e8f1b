import { statfs } from 'node:fs/promises'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Shelf } from './cache-shelf.ts'

export type BudgetOptions = {
  /** The directory of the files. */
  directory: string
  shelf: Shelf
  /** The most that finished files and downloads under way may take together. */
  maxBytes: number
  /** The space that must stay free on the disk, bytes; undefined: 1 GiB, or a twentieth of a disk below 20 GiB. */
  minFreeBytes: number | undefined
}

/** The bytes of the budget that one download holds until they are released. */
export type Reservation = {
  /**
   * Await it before writing this many more bytes.
   * @throws StepError transient `internal_error` if other downloads leave no room, `media_too_large` if the file is
   *   larger than the whole cache
   */
  reserve(bytes: number): Promise<void>
  release(): void
}

const MEBIBYTE = 1024 ** 2
/** Evicts files and checks the free space once per this many bytes. */
const MAX_STEP_BYTES = 16 * MEBIBYTE

/**
 * Keeps the downloads of this process within the size of the cache: as they grow, finished files are evicted. A
 * download that finds no room fails and is tried again later. Waiting would hold its slot and its host's connection.
 */
export class DownloadBudget {
  readonly #options: BudgetOptions
  readonly #stepBytes: number
  #underWay = 0
  #unseen = 0
  /** Bytes of downloads under way by owner. */
  readonly #ofOwner = new Map<string, number>()

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#stepBytes = Math.min(MAX_STEP_BYTES, Math.ceil(options.maxBytes / 16))
  }

  /** The most that finished files may take now, bytes. */
  get left(): number {
    return this.#options.maxBytes - this.#underWay
  }

  /**
   * @param owner an organization: its downloads together leave half of the bytes to others, but a single one may be
   *   as large as the cache. '': an operator
   * @throws StepError transient `internal_error` if the disk has too little space
   */
  async begin(owner: string): Promise<Reservation> {
    await this.#leaveSpace()
    let own = 0
    return {
      reserve: async (bytes) => {
        if (own + bytes > this.#options.maxBytes) throw new StepError('media_too_large')
        const others = this.#of(owner) - own
        if (owner !== '' && others > 0 && others + own + bytes > this.#options.maxBytes / 2)
          throw noRoom('Other downloads of the organization take its share of the media cache.')
        if (bytes > this.left) throw noRoom('Other downloads take the whole media cache.')
        own += bytes
        this.#count(owner, bytes)
        this.#unseen += bytes
        if (this.#unseen < this.#stepBytes) return
        this.#unseen = 0
        await this.#options.shelf.evict(this.left)
        await this.#leaveSpace()
      },
      release: () => {
        this.#count(owner, -own)
        own = 0
      },
    }
  }

  #of(owner: string): number {
    return this.#ofOwner.get(owner) ?? 0
  }

  #count(owner: string, bytes: number): void {
    this.#underWay += bytes
    const now = this.#of(owner) + bytes
    if (now > 0) this.#ofOwner.set(owner, now)
    else this.#ofOwner.delete(owner)
  }

  async #leaveSpace(): Promise<void> {
    while (!(await this.#hasSpace())) {
      const gaveUp = await this.#options.shelf.halve()
      if (!gaveUp) throw noRoom('The disk of the media cache has less free space than it must keep.')
    }
  }

  async #hasSpace(): Promise<boolean> {
    const { bavail, blocks, bsize } = await statfs(this.#options.directory)
    const floor = this.#options.minFreeBytes ?? Math.min(1024 * MEBIBYTE, (blocks * bsize) / 20)
    return bavail * bsize >= floor
  }
}

const noRoom = (message: string): StepError => new StepError('internal_error', { transient: true, message })
