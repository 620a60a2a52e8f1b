import type { RefusedError } from '#packages/ports/unreachable.ts'
import type { KafkaCluster } from './cluster.ts'
import type { KafkaLog } from './log.ts'
import { probe, refusalOf } from './refusals.ts'

/** The shortest interval between probes of single hosts, milliseconds. */
const PROBE_EVERY_MS = 5000

/**
 * The troubles of a cluster, by what failed. Logs each change rather than each attempt, and knows the present refusal.
 */
export class KafkaTroubles {
  readonly #cluster: KafkaCluster
  readonly #log: KafkaLog
  readonly #refusals = new Map<string, RefusedError>()
  readonly #said = new Map<string, string>()
  /** How often each caller was answered, by its name. */
  readonly #answers = new Map<string, number>()
  #probed: { at: number; found: Promise<RefusedError | undefined> } | undefined

  constructor(cluster: KafkaCluster, log: KafkaLog) {
    this.#cluster = cluster
    this.#log = log
  }

  /** Why the brokers refuse something, in one sentence; undefined if they do not. */
  get refusal(): RefusedError | undefined {
    const [refusal] = this.#refusals.values()
    return refusal
  }

  /**
   * Records a failure, and finds out in the background why the brokers refuse.
   * @param who what failed, in words
   * @param message for the log if the brokers are away
   */
  failed(who: string, error: unknown, message: string): void {
    const answers = this.#answers.get(who)
    void this.#refusalOf(error).then((refusal) => {
      // Ignored if the brokers have answered meanwhile.
      if (answers === this.#answers.get(who)) this.#note(who, refusal, error, message)
    })
  }

  answered(who: string): void {
    this.#answers.set(who, (this.#answers.get(who) ?? 0) + 1)
    this.#refusals.delete(who)
    if (this.#said.delete(who)) this.#log.info({ who }, 'the brokers answer again')
  }

  #note(who: string, refusal: RefusedError | undefined, error: unknown, message: string): void {
    if (refusal === undefined) this.#refusals.delete(who)
    else this.#refusals.set(who, refusal)
    const sentence = refusal?.message ?? message
    if (this.#said.get(who) === sentence) return
    this.#said.set(who, sentence)
    if (refusal === undefined) this.#log.warn({ err: error, who }, message)
    else this.#log.error({ err: refusal.cause, who }, sentence)
  }

  async #refusalOf(error: unknown): Promise<RefusedError | undefined> {
    const refusal = refusalOf(error)
    if (refusal !== undefined) return refusal
    const now = performance.now()
    if (this.#probed === undefined || now - this.#probed.at > PROBE_EVERY_MS)
      this.#probed = { at: now, found: probe(this.#cluster) }
    return this.#probed.found
  }
}
