import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Drift } from '#packages/platforms/reading/shape.ts'
import type { Logger } from '#packages/telemetry/log.ts'

type Line = { drift?: Drift[]; reason?: string; platform?: string }

/** A log that nobody reads but this: what the readers report of answers that have changed. */
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

  /** What was reported since it was last asked, as the answers' own names of fields, or as yt-dlp says it. */
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
