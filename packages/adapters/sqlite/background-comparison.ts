import { Worker } from 'node:worker_threads'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import type { ComparisonOptions, FromComparison } from './comparison-thread.ts'

/** How often the whole event file is compared, milliseconds. */
const everyMs = 60 * 60 * 1000

/** The log of the comparison. */
export type ComparisonLog = {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Compares the event file for as long as a service runs, in a thread of its own. */
export class BackgroundComparison implements AsyncDisposable {
  readonly #worker: Worker

  /** @param onDamage called with each finding */
  constructor(path: string, { log, onDamage }: { log: ComparisonLog; onDamage(error: DamagedEventsError): void }) {
    this.#worker = new Worker(new URL('./comparison-thread.ts', import.meta.url), {
      workerData: { path, everyMs } satisfies ComparisonOptions,
      execArgv: [],
    })
    this.#worker.unref()
    this.#worker.on('message', (message: FromComparison) => {
      if ('comparedEvents' in message) log.info({ events: message.comparedEvents }, 'the event file was compared')
      else
        for (const { file, problem, ...place } of message.findings)
          onDamage(new DamagedEventsError(file, problem, place))
    })
    // A failed comparison is only logged: events are checked at every read all the same.
    this.#worker.on('error', (err) => log.error({ err }, 'the event file is no longer compared in the background'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
