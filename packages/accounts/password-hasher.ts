import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ServiceError } from '#packages/errors/service-error.ts'

const settings = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const

/** Each takes 40 ms of one of libuv's four threads, which files and name lookups also need. */
const MAX_AT_WORK = 2
const MAX_WAITING = 20

type Salted = { memory: number; passes: number; parallelism: number; salt: Buffer; tag: Buffer }

/** Computes one argon2id tag. */
export type Argon2 = (password: string, salted: Omit<Salted, 'tag'>) => Promise<Buffer>

const tagOf = promisify(argon2)

const argon2id: Argon2 = (password, { salt: nonce, memory, passes, parallelism }) =>
  tagOf('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength: settings.tagLength })

/** Hashes passwords with argon2id, at most two at once. Letters that look the same are the same (NFKC). */
export class PasswordHasher {
  readonly #argon2: Argon2
  /** Replaces a missing hash, so that the answer takes as long. */
  readonly #placeholder: Salted = { ...settings, salt: randomBytes(16), tag: randomBytes(settings.tagLength) }
  readonly #waiting: (() => void)[] = []
  #atWork = 0

  constructor(work: Argon2 = argon2id) {
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
    await this.#begin()
    try {
      return await this.#argon2(password.normalize('NFKC'), salted)
    } finally {
      this.#end()
    }
  }

  async #begin(): Promise<void> {
    if (this.#atWork < MAX_AT_WORK) {
      this.#atWork += 1
      return
    }
    if (this.#waiting.length >= MAX_WAITING)
      throw new ServiceError('rate_limited', 'Too many people sign in at this moment; try again in a second.', {
        retryAfterSeconds: 1,
      })
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Gives the place to the caller that has waited longest. */
  #end(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#atWork -= 1
    else next()
  }
}

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
