import { expect } from 'chai'
import { trapOutcomes, trapRows } from './engine-traps.ts'
import type { Outcome } from './report.ts'

const rows = trapRows('| E1 | it bites | `a.test.ts`: is held back |\n| E2 | it barks | `b.test.ts`: is heard |\n')
const outcome = (file: string, title: string, state: Outcome['state'] = 'passed'): Outcome => ({
  state,
  file,
  title,
  report: '',
  ms: 1,
})
const outcomesOf = (...ran: Outcome[]): string[] =>
  trapOutcomes(rows, ran).map(({ state, title }) => `${state} ${title}`)

describe('traps of the engines', () => {
  it('are read from their table', () => {
    expect(rows).to.deep.equal([
      { id: 'E1', file: 'a.test.ts', title: 'is held back' },
      { id: 'E2', file: 'b.test.ts', title: 'is heard' },
    ])
  })

  it('fail a run that had the file but not the test, or skipped it', () => {
    expect(outcomesOf(outcome('a.test.ts', 'a dog is fed'))).to.deep.equal(['failed answer to trap E1'])
    expect(outcomesOf(outcome('a.test.ts', 'x'), outcome('a.test.ts', 'a dog is held back', 'skipped'))).to.deep.equal([
      'failed answer to trap E1',
    ])
  })

  it('pass if the test ran; a failed test is reported by itself', () => {
    expect(outcomesOf(outcome('a.test.ts', 'a dog is held back'))).to.deep.equal([])
    expect(outcomesOf(outcome('a.test.ts', 'a dog is held back', 'failed'))).to.deep.equal([])
  })

  it('ignore files that were not run', () => {
    expect(outcomesOf()).to.deep.equal([])
  })

  it('ignore a test if its engine is absent, also if others of its file ran', () => {
    const lack = { needs: 'Kafka', why: 'Java 17 is missing' }
    const leftOut = { ...outcome('a.test.ts', 'a dog is held back', 'skipped'), lack }
    expect(outcomesOf(leftOut)).to.deep.equal([])
    expect(outcomesOf(leftOut, outcome('a.test.ts', 'a dog is fed'))).to.deep.equal([])
  })

  it('fail a run if its file lost the test, also if the engine of the file is absent', () => {
    const lack = { needs: 'Kafka', why: 'Java 17 is missing' }
    const other = { ...outcome('a.test.ts', 'a dog is fed', 'skipped'), lack }
    expect(outcomesOf(other)).to.deep.equal(['failed answer to trap E1'])
  })
})
