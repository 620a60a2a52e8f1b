import { RefusedError } from '#packages/ports/unreachable.ts'

/** What it needs of a log. */
type Lines = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * The failures of an engine for the log: a line when it stops answering, when it begins to refuse, when it refuses for
 * another reason, and when it answers again; nothing for each try in between.
 */
export class TroubleLog {
  readonly #name: string
  readonly #log: Lines
  /** The sentence that holds now, by what was asked. */
  readonly #troubles = new Map<string, string>()

  /** @param name what it is, in words: `the event store` */
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

/** For a person at a terminal, who is told what a refusal asks for, and else waits. */
export const terminalLines: Lines = {
  info: () => undefined,
  warn: () => undefined,
  error: (_, message) => console.error(message),
}
