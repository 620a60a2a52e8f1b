import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Drift } from '#packages/platforms/reading/shape.ts'
import type { Logger } from '#packages/telemetry/log.ts'

type Line = { drift?: Drift[]; reason?: string; platform?: string }

/** A log that collects the readers' reports about changed answers. */
export class DriftLog {
  #fields: string[] = []
  readonly log: Logger

  constructor() {
    const sink = new Writable({
      write: (text, _encoding, done) => {
        this.#note(JSON.parse(String(text)) as Line)
        done()
      },
    })
    this.log = pino({ level: 'warn' }, sink)
  }

  /** Removes and returns the reports since the last call: names of missing fields, or messages of yt-dlp. */
  take(): string[] {
    const fields = [...new Set(this.#fields)]
    this.#fields = []
    return fields
  }

  #note({ drift = [], reason }: Line): void {
    this.#fields.push(...drift.map(({ field }) => field))
    if (reason !== undefined) this.#fields.push(reason)
  }
}
