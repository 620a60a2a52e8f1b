import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { TimedThread } from '#packages/foundation/workers/timed-thread.ts'
import type { Argon2Question } from './argon2-thread.ts'

const settings = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const

/** The most hashes that wait. Each takes 40 ms of a core. */
const MAX_WAITING = 20
/** On a busy machine a hash takes ten times as long. */
const TIMEOUT_MS = 10_000
const MEMORY_MIB = 64

type Salted = { memory: number; passes: number; parallelism: number; salt: Buffer; tag: Buffer }

/** Computes one argon2id tag. */
export type Argon2 = (password: string, salted: Omit<Salted, 'tag'>) => Promise<Buffer>

/** Hashes in a separate thread, which keeps no process alive: sign-ins leave the cores to other requests. */
function argon2InThread(): Argon2 {
  const module = new URL('./argon2-thread.ts', import.meta.url)
  const thread = new TimedThread({ module, timeoutMs: TIMEOUT_MS, memoryMib: MEMORY_MIB })
  return async (password, { salt: nonce, memory, passes, parallelism }) => {
    const { tagLength } = settings
    const question: Argon2Question = { message: password, nonce, memory, passes, parallelism, tagLength }
    return Buffer.from((await thread.ask(question)) as Uint8Array)
  }
}

/** Hashes passwords with argon2id, one at a time. Letters that look the same are the same (NFKC). */
export class PasswordHasher {
  readonly #argon2: Argon2
  /** Compared in place of a missing hash, so that the answer takes equally long. */
  readonly #placeholder: Salted = { ...settings, salt: randomBytes(16), tag: randomBytes(settings.tagLength) }
  readonly #permits = new Semaphore(1, { maxWaiting: MAX_WAITING, tooMany: tooManySignIn })

  constructor(work: Argon2 = argon2InThread()) {
    this.#argon2 = work
  }

  /** @returns a PHC string @throws ServiceError rate_limited if too many wait */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16)
    const tag = await this.#tag(password, { ...settings, salt })
    const { memory, passes, parallelism } = settings
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encoded(salt)}$${encoded(tag)}`
  }

  /**
   * Computes one tag in each case, so that the time does not reveal whether there is a hash.
   * @param hash null: there is none, and nothing matches
   * @throws ServiceError rate_limited if too many wait
   */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const salted = hash === null ? this.#placeholder : parsed(hash)
    const tag = await this.#tag(password, salted)
    return timingSafeEqual(tag, salted.tag) && hash !== null
  }

  async #tag(password: string, salted: Omit<Salted, 'tag'>): Promise<Buffer> {
    using _permit = await this.#permits.acquire()
    return await this.#argon2(password.normalize('NFKC'), salted)
  }
}

const tooManySignIn = (): ServiceError =>
  new ServiceError('rate_limited', 'Too many people are signing in. Try again in a second.', {
    retryAfterSeconds: 1,
  })

const encoded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

function parsed(hash: string): Salted {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(hash) ?? []
  if (memory === undefined) throw new Error('a stored password is not a PHC string of argon2id')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}
