import { expect } from 'chai'
import type { Request, Response } from 'express'
import { RequestOverError } from '#packages/foundation/errors/request-over-error.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { answerErrors } from './answer-errors.ts'
import type { Answers } from './answers.ts'

describe('errors that are answered', () => {
  /** True if the error is answered, and so counted, logged and traced. */
  const isAnswered = (thrown: unknown, destroyed: boolean): boolean => {
    let answered = false
    const answers = {
      error() {
        answered = true
      },
    }
    const handle = answerErrors({ answers: answers as unknown as Answers })
    handle(thrown, {} as Request, { destroyed } as Response, () => {})
    return answered
  }

  it('do not include those of a caller who has left, which are no failures of the service', () => {
    expect(isAnswered(new RequestOverError(), true)).to.equal(false)
    expect(isAnswered(new RequestOverError(), false), 'the server closes').to.equal(true)
    expect(isAnswered(new ServiceError('unavailable', 'Try again.'), true), 'maybe why they have gone').to.equal(true)
  })
})
