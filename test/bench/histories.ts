import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Child } from './kit/child.ts'
import type { HistoryFacts } from './service/history-process.ts'

export type History = HistoryFacts & { dataDir: string }

/** Data directories full of ended jobs. Each is made once per run. */
export class Histories {
  readonly #directory: string
  readonly #made = new Map<number, Promise<History>>()
  #copies = 0

  constructor(directory: string) {
    this.#directory = directory
  }

  /**
   * At least this many events, written by direct appends, with the views made from them. Callers must not change it.
   */
  of(events: number): Promise<History> {
    const made = this.#made.get(events) ?? this.#make(events)
    this.#made.set(events, made)
    return made
  }

  /** A copy that the caller may change. */
  async copyOf(events: number): Promise<History> {
    const history = await this.of(events)
    const dataDir = join(this.#directory, `copy-${this.#copies++}`)
    await cp(history.dataDir, dataDir, { recursive: true })
    return { ...history, dataDir }
  }

  async #make(events: number): Promise<History> {
    const dataDir = join(this.#directory, `history-${events}`)
    await mkdir(dataDir)
    await using child = new Child(new URL('./service/history-process.ts', import.meta.url), {
      directory: this.#directory,
    })
    return { ...(await child.call<HistoryFacts>('write', { dataDir, events })), dataDir }
  }
}
