import { statfs } from 'node:fs/promises'
import { StepError } from '#packages/errors/step-error.ts'
import type { Shelf } from './cache-shelf.ts'

export type BudgetOptions = {
  /** Where the files lie. */
  directory: string
  shelf: Shelf
  /** What finished files and downloads under way may take together. */
  maxBytes: number
  /** The disk's space that is left to others; undefined: 1 GiB, or a twentieth of a smaller disk than 20 GiB. */
  minFreeBytes: number | undefined
}

/** What one download takes of the budget, until it is released. */
export type Reservation = {
  /**
   * To be awaited before so many more bytes are written.
   * @throws StepError transient `internal_error` when others leave no room, `media_too_large` when nobody else does
   */
  reserve(bytes: number): Promise<void>
  release(): void
}

const MEBIBYTE = 1024 ** 2
/** The shelf and the disk are looked at once per so many bytes. */
const MAX_STEP_BYTES = 16 * MEBIBYTE

/**
 * Keeps the downloads of this process within the bytes of the cache: as they grow, finished files make room. A
 * download that finds none fails and is tried again later: waiting, it would hold its slot and its host's connection.
 */
export class DownloadBudget {
  readonly #options: BudgetOptions
  readonly #stepBytes: number
  #underWay = 0
  #unseen = 0
  /** By whose they are. */
  readonly #ofOwner = new Map<string, number>()

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#stepBytes = Math.min(MAX_STEP_BYTES, Math.ceil(options.maxBytes / 16))
  }

  /** What finished files may take now, bytes. */
  get left(): number {
    return this.#options.maxBytes - this.#underWay
  }

  /**
   * @param owner an organization: its downloads leave half of the bytes to others; one alone may be as large as the
   * cache. '': an operator
   * @throws StepError transient `internal_error` when the disk has too little space
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
