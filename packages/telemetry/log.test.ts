import { expect } from 'chai'
import { createLog, type Logger } from './log.ts'

describe('the log', () => {
  let lines: Record<string, unknown>[]
  let log: Logger

  beforeEach(() => {
    lines = []
    log = createLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  })

  const secret = {
    key: 'hidden',
    'x-api-key': 'hidden',
    nested: { url: 'hidden', list: [{ prompt: { text: 'hidden' } }] },
  }

  for (const [where, write] of Object.entries({
    'a line': (fields: object) => log.info(fields),
    'all lines of a child': (fields: object) => log.child(fields).info('said'),
    'all lines of a child’s child': (fields: object) => log.child({ a: 1 }).child({ deep: fields }, {}).info('said'),
  }))
    it(`hides secrets at any depth: in ${where}`, () => {
      write({ ...secret, tries: 2, a: { b: { c: { d: { e: { password: 'hidden', steps: ['fetch'] } } } } } })
      const [line] = lines
      const text = JSON.stringify(line)
      expect(text).to.not.contain('hidden')
      expect(text).to.contain('"tries":2').and.contain('{"password":"[redacted]","steps":["fetch"]}')
    })

  it('hides them in a circle and below any writable depth, too', () => {
    const circle: Record<string, unknown> = { secret: 'hidden', other: 'told' }
    circle.self = { circle, key: 'hidden' }
    let deep: object = { key: 'hidden' }
    for (let n = 0; n < 100_000; n++) deep = { deep }
    log.info({ circle, deep })
    const text = JSON.stringify(lines)
    expect(text).to.not.contain('hidden')
    expect(text).to.contain('told')
    expect(text.length).to.be.below(1000)
  })
})
