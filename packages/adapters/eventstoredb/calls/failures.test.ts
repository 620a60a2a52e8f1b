import { StreamDeletedError, UnavailableError } from '@eventstore/db-client'
import { expect } from 'chai'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { isAnswered } from './failures.ts'

describe('failures of a call to EventStoreDB', () => {
  it('are no answers where the client throws plain errors of code 14', () => {
    const plain = Object.assign(new Error('14 UNAVAILABLE: Connection dropped'), { code: 14 })
    expect(isAnswered(plain)).to.equal(false)
    expect(isAnswered(new UnavailableError(plain as never))).to.equal(false)
    expect(isAnswered(new Error('the event store gave nothing for 2000 ms'))).to.equal(false)
    expect(isAnswered(undefined)).to.equal(false)
  })

  it('are answers where the same call would get them again', () => {
    expect(isAnswered(StreamDeletedError.fromStreamName('job-1'))).to.equal(true)
    expect(isAnswered(new RevisionConflictError('job-1', 3, 5))).to.equal(true)
  })
})
