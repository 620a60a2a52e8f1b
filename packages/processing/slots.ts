/** The slots of one step in this process, and how many each organization has. */
export class Slots {
  readonly #count: number
  readonly #taken = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#count = count
    this.#free = count
  }

  get areFree(): boolean {
    return this.#free > 0
  }

  /** Resolves when a slot is free. */
  async whenFree(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Resolves when every slot is free. */
  async whenAllFree(): Promise<void> {
    while (this.#free < this.#count) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Whether the organization would have at most half of the slots with one more. */
  leavesHalf(orgId: string): boolean {
    return (this.#taken.get(orgId) ?? 0) + 1 <= this.#count / 2
  }

  /** Takes a free slot. Disposing of it frees it, once. @throws Error if none is free */
  take(orgId: string): Disposable {
    if (this.#free === 0) throw new Error('no slot is free')
    this.#change(orgId, 1)
    return { [Symbol.dispose]: () => this.#change(orgId, -1) }
  }

  #change(orgId: string, by: 1 | -1): void {
    this.#free -= by
    const taken = (this.#taken.get(orgId) ?? 0) + by
    if (taken > 0) this.#taken.set(orgId, taken)
    else this.#taken.delete(orgId)
    if (by < 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
