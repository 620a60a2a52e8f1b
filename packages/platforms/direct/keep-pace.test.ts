import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { keepPace } from './keep-pace.ts'

const KIBIBYTE = 1024

describe('the pace of a download', () => {
  const start = (given = new AbortController().signal) => {
    const clock = new ManualClock()
    const done = Promise.withResolvers<string>()
    let count: (bytes: number) => void = () => expect.fail('not begun')
    const outcome = keepPace(
      (signal, counting) => {
        count = counting
        signal.addEventListener('abort', () => done.reject(signal.reason))
        return done.promise
      },
      { clock, signal: given },
    ).then(
      (value) => value,
      (error) => error,
    )
    /** Sends this many bytes per second, for this many seconds. @returns the outcome, if the download has ended */
    const send = async (seconds: number, bytes: number): Promise<unknown> => {
      for (let second = 0; second < seconds; second++) {
        count(bytes)
        await clock.advance(1000)
      }
      return Promise.race([outcome, Promise.resolve('under way')])
    }
    return { clock, outcome, send, done: done.resolve }
  }

  it('lets a host continue that sends 32 KiB a second on average, even with pauses', async () => {
    const { send, outcome, done } = start()
    expect(await send(50, 32 * KIBIBYTE)).to.equal('under way')
    expect(await send(1, 320 * KIBIBYTE)).to.equal('under way')
    expect(await send(8, 0)).to.equal('under way')
    done('done')
    expect(await outcome).to.equal('done')
  })

  for (const [what, bytes] of [
    ['drips', 1],
    ['sends a little less than 32 KiB a second', 32 * KIBIBYTE - 1],
  ] as const) {
    it(`ends one that ${what} within 20 seconds of its first byte`, async () => {
      expect(await start().send(20, bytes)).to.include({ name: 'StepError', code: 'upstream_error', transient: true })
    })
  }

  it('ends one that becomes too slow after a fast start', async () => {
    const { send } = start()
    expect(await send(1, 500 * KIBIBYTE * KIBIBYTE)).to.equal('under way')
    expect(await send(20, 1)).to.include({ code: 'upstream_error', transient: true })
  })

  it('ends every download after two minutes', async () => {
    const { send } = start()
    expect(await send(119, KIBIBYTE * KIBIBYTE)).to.equal('under way')
    expect(await send(1, KIBIBYTE * KIBIBYTE)).to.include({ code: 'upstream_error', transient: true })
  })

  it("ends with the signal's reason before any other", async () => {
    const reason = new Error('the deadline')
    const abort = new AbortController()
    const { outcome } = start(abort.signal)
    abort.abort(reason)
    expect(await outcome).to.equal(reason)
  })
})
