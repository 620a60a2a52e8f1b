import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Argon2, PasswordHasher } from './password-hasher.ts'

describe('hashing of passwords', () => {
  it('is argon2id with 19 MiB and two passes, with its own salt, as a PHC string', async () => {
    const hasher = new PasswordHasher()
    const [one, other] = [await hasher.hash('correct'), await hasher.hash('correct')]
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).to.not.equal(other)
    expect(await hasher.matches('correct', one)).to.equal(true)
    expect(await hasher.matches('wrong', one)).to.equal(false)
  })

  it('reads the hash that another program has made', async () => {
    // From the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
    const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await new PasswordHasher().matches('password', known)).to.equal(true)
  })

  it('treats letters that look the same as the same', async () => {
    const hasher = new PasswordHasher()
    expect(await hasher.matches('cafe\u0301 ﬁne', await hasher.hash('caf\u00e9 fine'))).to.equal(true)
  })

  /** Computations that wait until they are released. */
  function held() {
    const open: (() => void)[] = []
    let most = 0
    let atWork = 0
    const argon2: Argon2 = async () => {
      atWork += 1
      most = Math.max(most, atWork)
      await new Promise<void>((resolve) => open.push(resolve))
      atWork -= 1
      return Buffer.alloc(32)
    }
    return { open, argon2, most: () => most }
  }

  it('has one at work, lets 20 wait, and refuses the rest for a second, however many come', async () => {
    const { open, argon2, most } = held()
    const hasher = new PasswordHasher(argon2)
    const outcomes = Promise.allSettled(Array.from({ length: 40 }, () => hasher.matches('x', null)))
    for (let done = 0; done < 21; ) {
      await setImmediate()
      for (const resolve of open.splice(0)) {
        resolve()
        done += 1
      }
    }
    const settled = await outcomes
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as ServiceError] : []))
    expect(most()).to.equal(1)
    expect(settled.filter(({ status }) => status === 'fulfilled')).to.have.length(21)
    expect(refused).to.have.length(19)
    for (const error of refused) expect(error).to.include({ code: 'rate_limited', retryAfterSeconds: 1 })
  })

  it('releases its place if a computation fails', async () => {
    const hasher = new PasswordHasher(async () => Promise.reject(new Error('no memory')))
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => hasher.hash('x')))
    expect(outcomes.every((one) => one.status === 'rejected' && !(one.reason instanceof ServiceError))).to.equal(true)
  })

  it('computes one tag for a person without a hash, and matches nothing', async () => {
    let computed = 0
    const hasher = new PasswordHasher(async () => {
      computed += 1
      return Buffer.alloc(32)
    })
    expect(await hasher.matches('x', null)).to.equal(false)
    expect(computed).to.equal(1)
  })
})
