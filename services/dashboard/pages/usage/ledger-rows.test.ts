import { expect } from 'chai'
import type { CreditsTransaction } from '#contracts/generated/http.ts'
import { rowsOf } from './ledger-rows.ts'

const line = (type: CreditsTransaction['type'], amount: number, jobId: string | null): CreditsTransaction => ({
  type,
  amount,
  jobId,
  createdAt: '2026-11-27T00:00:00.000Z',
  balance: 0,
  reason: null,
  operation: null,
  keyId: null,
  batchId: null,
})
const shown = (lines: CreditsTransaction[]) =>
  rowsOf(lines).map(({ line: { type, jobId }, amount, isWhole }) => [type, jobId, amount, isWhole])

describe('rows of the ledger', () => {
  it('show the cost of an ended job at its end, and an open job with its held credits', () => {
    const lines = [
      line('settlement', 4, 'one'),
      line('debit', -5, 'two'),
      line('debit', -5, 'one'),
      line('grant', 50, null),
    ]
    expect(shown(lines)).to.deep.equal([
      ['settlement', 'one', -1, true],
      ['debit', 'two', -5, false],
      ['grant', null, 50, false],
    ])
  })

  it('have the sum of the lines, even if the two of a job are on different pages', () => {
    const lines = [line('settlement', 4, 'one'), line('renewal', 100, null), line('debit', -5, 'two')]
    expect(shown(lines)).to.deep.equal([
      ['settlement', 'one', 4, false],
      ['renewal', null, 100, false],
      ['debit', 'two', -5, false],
    ])
  })
})
