import { expect } from 'chai'
import { outcomeOf, type Report } from './outcome.ts'

const operations = ['GET /v1/me', 'POST /v1/keys']
const ran = { status: 'success', skip_reason: null }

const good: Report = {
  complete: true,
  exit_code: 0,
  operations: { total: 2, tested: 2 },
  phases: { examples: ran, coverage: ran, fuzzing: ran, stateful: ran },
  test_cases: { generated: 100, with_failures: 0, without_checks: 3, errored: 0 },
  errors: [],
  warnings: { rate_limited: [], validation_mismatch: ['POST /v1/keys'] },
  valid_rates: {
    'GET /v1/me': { fuzzing: { accepted: 1 } },
    'POST /v1/keys': { examples: { accepted: 0 }, fuzzing: { accepted: 2 } },
  },
}

describe('the outcome of a run of schemathesis', () => {
  it('counts only requests with checked answers', () => {
    expect(outcomeOf(good, operations)).to.deep.equal({ passed: 97, failed: 0, complaints: [] })
    const test_cases = { generated: 100, with_failures: 4, without_checks: 3, errored: 1 }
    const { passed, failed } = outcomeOf({ ...good, exit_code: 1, test_cases }, operations)
    expect([passed, failed]).to.deep.equal([92, 5])
  })

  const hollow: Record<string, Partial<Report>> = {
    'ended early': { complete: false },
    'failed for a reason of its own': { exit_code: 1 },
    'met an error in the document': { errors: [{ title: 'Schema Error', count: 1 }] },
    'left out a phase': { phases: { ...good.phases, stateful: { status: 'skip', skip_reason: 'No links' } } },
    'left out an operation': { operations: { total: 2, tested: 1 } },
    'was turned away for its rate': { warnings: { rate_limited: ['GET /v1/me'] } },
    'never got in': { valid_rates: { 'POST /v1/keys': { fuzzing: { accepted: 2 } } } },
    'lost its key': { valid_rates: { ...good.valid_rates, 'GET /v1/me': { examples: { accepted: 1 } } } },
  }
  for (const [how, part] of Object.entries(hollow))
    it(`is a failure if the run ${how}`, () => {
      const { failed, complaints } = outcomeOf({ ...good, ...part }, operations)
      expect([failed, complaints.length]).to.deep.equal([1, 1])
    })
})
