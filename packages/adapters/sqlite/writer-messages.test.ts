import { expect } from 'chai'
import {
  packAnswers,
  packCalls,
  unpackAnswers,
  unpackCalls,
  type WriterAnswer,
  type WriterCall,
} from './writer-messages.ts'

const event = { id: 'id', type: 'Any', version: 2, data: '{"a":1}', metadata: '{}' }

describe('messages to and from the writer', () => {
  it('carry every kind of request, across threads', () => {
    const calls: WriterCall[] = [
      { call: 7, request: { kind: 'append', stream: 'job-1', expected: 'no-stream', events: [event] } },
      { call: 8, request: { kind: 'remove', stream: 'job-2' } },
      {
        call: 9,
        request: {
          kind: 'append',
          stream: '',
          expected: 0,
          events: [{ ...event, data: new Uint8Array([1, 2]) }, event],
        },
      },
      { call: 10, request: { kind: 'truncate', stream: 'credits-1', before: 12 } },
      { call: 11, request: { kind: 'append', stream: 'job-3', expected: 5, events: [] } },
      {
        call: 12,
        request: {
          kind: 'append-together',
          appends: [
            { stream: 'credits-1', expected: 7, events: [event, event] },
            { stream: 'job-4', expected: 'no-stream', events: [event] },
          ],
        },
      },
    ]
    expect(unpackCalls(structuredClone(packCalls(calls)))).to.deep.equal(calls)
    expect(unpackCalls(packCalls([]))).to.deep.equal([])
  })

  it('carry every kind of outcome, across threads', () => {
    const answers: WriterAnswer[] = [
      { call: 7, outcome: { kind: 'appended', revision: 0, position: 1, recordedAt: 1_700_000_000_000 } },
      { call: 8, outcome: { kind: 'repeated', revision: 3, position: 2 } },
      { call: 9, outcome: { kind: 'conflict', actual: 'no-stream' } },
      { call: 10, outcome: { kind: 'conflict', actual: 4 } },
      { call: 11, outcome: { kind: 'stream-removed' } },
      { call: 13, outcome: { kind: 'truncated' } },
      { call: 14, outcome: { kind: 'no-such-revision' } },
      { call: 15, outcome: { kind: 'gone', problem: 'was deleted' } },
      {
        call: 16,
        outcome: {
          kind: 'together',
          stored: [
            { kind: 'appended', revision: 2, position: 5, recordedAt: 1_700_000_000_000 },
            { kind: 'repeated', revision: 0, position: 4 },
          ],
        },
      },
      {
        call: 17,
        outcome: { kind: 'not-together', stream: 'job-1', refused: { kind: 'conflict', actual: 4 } },
      },
      { call: 18, outcome: { kind: 'not-together', stream: 'job-1', refused: { kind: 'stream-removed' } } },
      { call: 12, outcome: { kind: 'failed', reason: 'disk full' } },
    ]
    expect(unpackAnswers(structuredClone(packAnswers(answers)))).to.deep.equal(answers)
  })
})
