import { expect } from 'chai'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { ErrorObjects } from './error-objects.ts'

const gone = new ServiceError('not_found', 'There is nothing.')
const urlOf = (errors: ErrorObjects, error: ServiceError = gone): string | null => errors.of(error).documentationUrl

describe('documentationUrl', () => {
  it('is under the public URL, wherever the service listens', () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const errors = new ErrorObjects('https://api.example.com/video')
      errors.listensOn(host, 8080)
      expect(urlOf(errors)).to.equal('https://api.example.com/video/docs/errors#not_found')
    }
  })

  it('is where the service listens if there is no public URL, on loopback only', () => {
    const found = Object.entries({ '127.0.0.1': '127.0.0.1', localhost: 'localhost', '::1': '[::1]' })
    for (const [host, shown] of found) {
      const errors = new ErrorObjects()
      errors.listensOn(host, 8080)
      expect(urlOf(errors)).to.equal(`http://${shown}:8080/docs/errors#not_found`)
    }
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'api.example.com', '127.0.0.1.example.com']) {
      const errors = new ErrorObjects()
      errors.listensOn(host, 8080)
      expect(urlOf(errors), host).to.equal(null)
    }
  })

  it('leads to the code in details, if there is one', () => {
    const errors = new ErrorObjects('https://api.example.com')
    const anchor = (error: ServiceError) => urlOf(errors, error)?.split('#')[1]
    const details = { platform: 'youtube', code: 'video_private' }
    expect(anchor(new ServiceError('not_found', 'It is private.', { details }))).to.equal('video_private')
    expect(anchor(new ServiceError('unavailable', 'Not now.', { details: { jobId: '1' } }))).to.equal('unavailable')
    const problem = { path: 'url', message: 'cannot be read' }
    expect(anchor(invalidRequest(problem))).to.equal('invalid_request')
    expect(anchor(invalidRequest({ ...problem, code: 'live_not_ended' }))).to.equal('live_not_ended')
  })
})

describe('the link to the plans', () => {
  const short = new ServiceError('forbidden', 'Too few.', { details: { reason: 'insufficient_credits', required: 5 } })
  it('is present if a larger plan would help and the address is known', () => {
    const errors = new ErrorObjects('https://api.example.com/video', '/dashboard/plans')
    const plansUrl = 'https://api.example.com/video/dashboard/plans'
    expect(errors.of(short).details).to.deep.equal({ reason: 'insufficient_credits', required: 5, plansUrl })
    const scope = new ServiceError('forbidden', 'No.', { details: { reason: 'scope', required: 'jobs' } })
    expect(errors.of(scope).details).to.deep.equal(scope.details)
    expect(errors.of(gone).details).to.equal(null)
    for (const unknown of [
      new ErrorObjects(undefined, '/dashboard/plans'),
      new ErrorObjects('https://api.example.com'),
    ])
      expect(unknown.of(short).details).to.deep.equal(short.details)
  })
})
