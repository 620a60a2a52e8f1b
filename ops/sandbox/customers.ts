import { setTimeout as sleep } from 'node:timers/promises'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'
import { openStore } from '#services/host/engines.ts'

/** A GET without a body, otherwise a POST. */
export type Question = { path: string; body?: object }

export type Shell = { print: (line: string) => void; stop: AbortSignal }

/** The customers' questions, in order. `everyMs`: the pause between two, milliseconds. */
export type Questions = { question(n: number): Question; everyMs: number }

const CUSTOMERS = 3
const CREDITS = 1_000_000

/** The most unanswered questions. Then customers wait. */
const MAX_OPEN = 50
const ANSWER_MS = 60_000
const TELL_EVERY_MS = 1000

/** Customers for a game day, with all the credits that they can use. */
export async function customersOf(config: Config, data: DataDirectory, url: string): Promise<Customers> {
  const opened = await openStore(config, data)
  await using store = opened.store
  const ports = { store, clock, ids }
  const organizations = new Organizations({ ...ports, ledgers: new Ledgers(ports) })
  const keys: string[] = []
  for (let n = 1; n <= CUSTOMERS; n++) {
    const { orgId, key } = await organizations.create(`Game day ${n}`, 'pro')
    await organizations.grant(orgId, CREDITS)
    keys.push(key)
  }
  return new Customers(url, keys)
}

class Customers {
  readonly #url: string
  readonly #keys: readonly string[]
  /** Answers by status since the last report. */
  readonly #answered = new Map<string, number>()
  readonly #open = new Set<Promise<void>>()

  constructor(url: string, keys: readonly string[]) {
    this.#url = url
    this.#keys = keys
  }

  /** They take turns until `stop` is aborted. Their answers are reported every second. */
  async ask({ question, everyMs }: Questions, { print, stop }: Shell): Promise<void> {
    const telling = setInterval(() => print(this.#told()), TELL_EVERY_MS)
    for (let n = 0; !stop.aborted; n++) {
      const asked = this.#ask(question(n), this.#keys[n % this.#keys.length] ?? '', stop)
      this.#open.add(asked)
      void asked.finally(() => this.#open.delete(asked))
      if (this.#open.size >= MAX_OPEN) await Promise.race(this.#open)
      await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined)
    }
    clearInterval(telling)
    await Promise.all(this.#open)
  }

  async #ask({ path, body }: Question, key: string, stop: AbortSignal): Promise<void> {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) }
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)])
    const answer = await fetch(this.#url + path, {
      method: body ? 'POST' : 'GET',
      headers,
      body: body ? JSON.stringify(body) : null,
      signal,
    })
      .then(async (response) => `${response.status}${detailOf(await response.text())}`)
      .catch(() => 'no answer')
    this.#answered.set(answer, (this.#answered.get(answer) ?? 0) + 1)
  }

  #told(): string {
    const counts = [...this.#answered].sort().map(([answer, count]) => `${count} × ${answer}`)
    this.#answered.clear()
    return `  customers got: ${counts.join(', ') || 'no answer yet'}`
  }
}

/** An error's code, or the number of listed jobs; empty for any other answer. */
function detailOf(text: string): string {
  const { error, jobs } = JSON.parse(text) as { error?: string; jobs?: object[] }
  return jobs === undefined ? (error === undefined ? '' : ` ${error}`) : ` with ${jobs.length} jobs`
}
