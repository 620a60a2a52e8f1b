import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { logComplaints } from './complaints.ts'
import { api } from './otel-packages.ts'

const { diag } = api

describe('complaints of the SDK', () => {
  afterEach(() => diag.disable())

  it('are one line of the log each minute, with the text of the first', () => {
    const { log, lines } = keptLog()
    let now = 0
    logComplaints(log, () => now)
    const stack = 'Error: refused\n    at somewhere'
    diag.error(JSON.stringify({ stack, message: 'refused', data: 'what the collector said' }))
    diag.warn('Dropped 5 spans')
    diag.info('nobody wants to know')
    now = 59_999
    diag.error('"a text"')
    now = 60_000
    diag.warn('Dropped 9 spans')
    const shown = lines.map((line) => JSON.parse(line)).map(({ reason, others }) => [reason, others])
    expect(shown).to.deep.equal([
      ['refused', 0],
      ['Dropped 9 spans', 2],
    ])
  })
})
