import { RefusedError } from '#packages/ports/unreachable.ts'

/** The log methods that are used here. */
type Lines = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Logs the failures of an engine: one line when it stops answering, when it begins to refuse, when the reason changes,
 * and when it answers again. Retries in between are not logged.
 */
export class TroubleLog {
  readonly #name: string
  readonly #log: Lines
  /** The newest failure, by operation. */
  readonly #troubles = new Map<string, string>()

  /** @param name the engine in words: `the event store` */
  constructor(name: string, log: Lines) {
    this.#name = name
    this.#log = log
  }

  failed(error: unknown, asked = ''): void {
    const isRefusal = error instanceof RefusedError
    const sentence = isRefusal ? error.message : `${this.#name} does not answer; trying again`
    const isKnown = [...this.#troubles.values()].includes(sentence)
    this.#troubles.set(asked, sentence)
    if (isKnown) return
    if (isRefusal) this.#log.error({ err: error.cause }, sentence)
    else this.#log.warn({ err: error }, sentence)
  }

  answered(asked = ''): void {
    if (this.#troubles.delete(asked) && this.#troubles.size === 0) this.#log.info({}, `${this.#name} answers again`)
  }
}

/** For a terminal: prints only refusals, which a person must resolve. */
export const terminalLines: Lines = {
  info: () => undefined,
  warn: () => undefined,
  error: (_, message) => console.error(message),
}
