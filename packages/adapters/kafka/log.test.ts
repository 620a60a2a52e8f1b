import { expect } from 'chai'
import { type LogEntry, logLevel } from 'kafkajs'
import { type KafkaLog, logFor } from './log.ts'

describe("kafkajs's log", () => {
  const lines: [string, object, string][] = []
  const write = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
  const log: KafkaLog = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const entry = (level: logLevel, message: string): LogEntry => ({
    namespace: 'Runner',
    level,
    label: '',
    log: { timestamp: '', logger: 'kafkajs', message, groupId: 'g', stack: 'at …' },
  })
  beforeEach(() => void lines.splice(0))

  it('is lowered by a level: kafkajs logs normal rebalances as errors', () => {
    const write = logFor(log, new AbortController().signal)(logLevel.INFO)
    write(entry(logLevel.ERROR, 'The group is rebalancing, so a rejoin is needed'))
    write(entry(logLevel.WARN, 'Response without match'))
    write(entry(logLevel.INFO, 'Starting'))
    expect(lines.map(([level]) => level)).to.deep.equal(['warn', 'info', 'debug'])
    expect(lines[0]).to.deep.equal([
      'warn',
      { client: 'kafkajs Runner', groupId: 'g' },
      'The group is rebalancing, so a rejoin is needed',
    ])
  })

  it('logs repeats of a line at the level debug only', () => {
    const write = logFor(log, new AbortController().signal)(logLevel.INFO)
    for (let n = 0; n < 5; n++) write(entry(logLevel.ERROR, 'Connection error'))
    write(entry(logLevel.ERROR, 'SASL authentication failed'))
    expect(lines.map(([level]) => level)).to.deep.equal(['warn', 'debug', 'debug', 'debug', 'debug', 'warn'])
  })

  it('does not log the connections that are cut when the link ends', () => {
    logFor(log, AbortSignal.abort())(logLevel.INFO)(entry(logLevel.ERROR, 'Connection error'))
    expect(lines).to.deep.equal([])
  })
})
