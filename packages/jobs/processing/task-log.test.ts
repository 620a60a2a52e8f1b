import { expect } from 'chai'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { TaskLog } from './task-log.ts'

describe('the log line of a failed attempt', () => {
  const lineOf = (error: unknown): Record<string, unknown> => {
    const lines: string[] = []
    const log = createLog('test', 'debug', { write: (line) => void lines.push(line) })
    const task = { jobId: systemIds.uuid(), step: 'fetch', attempt: 1, revision: 0, traceparent: newTraceparent(true) }
    new TaskLog(log, task as ConstructorParameters<typeof TaskLog>[1]).failed(error)
    expect(lines).to.have.length(1)
    return JSON.parse(lines[0] ?? '')
  }
  const ofTheirHost = Object.assign(new StepError('upstream_error', { cause: new Error('reset') }), { host: 'direct' })

  for (const [name, error] of Object.entries({
    'a video that is not there': new StepError('video_unavailable', { cause: new Error('404') }),
    'a file that is none': new StepError('media_unsupported', { details: 'ffprobe says…'.repeat(100) }),
    'a host that they name': ofTheirHost,
  }))
    it(`is short, and only at debug level, if the customer caused it: ${name}`, () => {
      const line = lineOf(error)
      expect(line).to.include({ level: 'debug', reason: error.code })
      expect(JSON.stringify(line)).to.not.include('stack')
      expect(JSON.stringify(line).length).to.be.below(400)
    })

  for (const [name, error] of Object.entries({
    'an upstream of ours': new StepError('upstream_error', { cause: new Error('reset') }),
    'a mistake of ours': new TypeError('undefined is not a function'),
  }))
    it(`warns, with a stack, if it is ours: ${name}`, () => {
      const { level, err } = lineOf(error)
      expect(level).to.equal('warn')
      expect(err).to.have.property('stack').that.includes('at ')
    })
})
