import { expect } from 'chai'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { TroubleLog } from './trouble-log.ts'

function troubleLog() {
  const lines: string[] = []
  const note = (level: string) => (_: object, message: string) => void lines.push(`${level}: ${message}`)
  const log = new TroubleLog('the store', { info: note('info'), warn: note('warn'), error: note('error') })
  return { lines, log }
}

const refused = (advice: string) => new RefusedError('the store', advice, new Error('16'))

describe('the log of an engine’s troubles', () => {
  it('has one line per change, not per attempt', () => {
    const { lines, log } = troubleLog()
    for (let n = 0; n < 5; n++) log.failed(new Error('ECONNREFUSED'))
    for (let n = 0; n < 5; n++) log.failed(refused('mend the password'))
    for (let n = 0; n < 5; n++) log.failed(refused('mend the grant'))
    for (let n = 0; n < 5; n++) log.answered()
    log.failed(new Error('ECONNRESET'))
    expect(lines).to.deep.equal([
      'warn: the store does not answer; trying again',
      'error: the store refuses: mend the password',
      'error: the store refuses: mend the grant',
      'info: the store answers again',
      'warn: the store does not answer; trying again',
    ])
  })

  it('stays refused while one operation is refused, even if another is answered', () => {
    const { lines, log } = troubleLog()
    for (let n = 0; n < 3; n++) {
      log.failed(refused('grant the feed'), 'feed')
      log.answered('streams')
    }
    log.failed(new Error('ECONNREFUSED'), 'streams')
    log.failed(new Error('ECONNREFUSED'), 'feed')
    log.answered('streams')
    log.answered('feed')
    expect(lines).to.deep.equal([
      'error: the store refuses: grant the feed',
      'warn: the store does not answer; trying again',
      'info: the store answers again',
    ])
  })
})
