import { mock } from 'node:test'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { expect } from 'chai'
import { takeTurn } from './turn.ts'

const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] })

/** Works forever, unless the signal ends it. */
const endless = ({ signal }: { signal: AbortSignal }): Promise<CallToolResult> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** A call that its caller may cancel. */
const call = (signal: AbortSignal = new AbortController().signal) => ({ signal, notify: async () => {} })

describe('the time of a call', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  for (const { answerSeconds, madeAfterMs } of [
    { answerSeconds: 45, madeAfterMs: 44_000 },
    { answerSeconds: 4, madeAfterMs: 3600 },
    { answerSeconds: 1, madeAfterMs: 900 },
  ])
    it(`is over before ${answerSeconds} s, so that the answer arrives within them`, async () => {
      let answer: CallToolResult | undefined
      const turn = takeTurn(call(), answerSeconds, endless, () => text('late')).then((made) => {
        answer = made
      })
      mock.timers.tick(madeAfterMs - 1)
      // A settled promise is seen within a turn of the event loop.
      await new Promise(setImmediate)
      expect(answer).to.equal(undefined)
      mock.timers.tick(1)
      await turn
      expect(answer).to.deep.equal(text('late'))
    })

  it('does not change the outcome of work that ends or fails earlier', async () => {
    const late = () => text('late')
    expect(await takeTurn(call(), 4, async () => text('done'), late)).to.deep.equal(text('done'))
    const failing = takeTurn(call(), 4, () => Promise.reject(new Error('no')), late)
    expect(String(await failing.catch((error: unknown) => error))).to.equal('Error: no')
  })

  it('does not count when the caller cancels the call', async () => {
    const cancelling = new AbortController()
    const turn = takeTurn(call(cancelling.signal), 4, endless, () => text('late'))
    cancelling.abort(new Error('cancelled'))
    expect(String(await turn.catch((error: unknown) => error))).to.equal('Error: cancelled')
  })
})
