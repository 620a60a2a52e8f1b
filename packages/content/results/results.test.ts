import { expect } from 'chai'
import { RequestOverError } from '#packages/foundation/errors/request-over-error.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { type ReadJson, Results } from './results.ts'

const never = new AbortController().signal
const small: ReadJson = async () => '{"found":1}'
/** 400,000 small values, 5 MB. */
const large: ReadJson = async () => JSON.stringify(Array.from({ length: 400_000 }, (_, n) => ({ n })))
const hanging: ReadJson = () => new Promise(() => {})

describe('the requested results', () => {
  let results: Results
  afterEach(() => results[Symbol.asyncDispose]())
  const ask = (orgId: string, read: ReadJson, signal = never) => results.value(read, { orgId, signal })

  it('are read at once: any number of slow reads of two organizations delay no other', async () => {
    results = new Results()
    const gone = new AbortController()
    const slow = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'].map((orgId) => failureOf(ask(orgId, hanging, gone.signal)))
    expect(await ask('c', small)).to.not.equal(undefined)
    gone.abort()
    for (const error of await Promise.all(slow)) expect(error).to.be.instanceOf(RequestOverError)
    expect(await ask('a', small), 'whoever has gone holds nothing').to.not.equal(undefined)
  })

  it('fail if the store does not answer, and later ones are read', async () => {
    results = new Results({ readMs: 20 })
    for (let n = 0; n < 3; n++)
      expect(await failureOf(ask('a', hanging))).to.include({ code: 'unavailable', status: 503 })
    expect(await ask('a', small)).to.not.equal(undefined)
  })

  it('fail permanently, with the cause, if one takes too much memory', async () => {
    results = new Results({ memoryMib: 24 })
    const error = await failureOf(ask('a', large))
    expect(error).to.include({ code: 'internal_error' })
    expect((error as Error).cause).to.include({ code: 'thread_fault' })
    expect(await ask('a', small)).to.not.equal(undefined)
  })
})
