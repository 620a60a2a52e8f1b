import { expect } from 'chai'
import { ConfigError } from '#packages/foundation/config/variable.ts'
import { keepUpgraded, wantedBy } from './command.ts'

describe('npm run ytdlp', () => {
  it('uses the given channel, else YTDLP_CHANNEL, else the pinned version', () => {
    const nightly = { YTDLP_CHANNEL: 'nightly' }
    expect(wantedBy([], {})).to.deep.equal({ channel: 'pinned', isDaily: false })
    expect(wantedBy(['--daily'], nightly)).to.deep.equal({ channel: 'nightly', isDaily: true })
    expect(wantedBy(['newest'], nightly)).to.deep.equal({ channel: 'newest', isDaily: false })
    expect(wantedBy(['previous'], nightly)).to.equal('previous')
    for (const words of [['oldest'], ['stable', 'nightly'], ['previous', '--daily']])
      expect(() => wantedBy(words, {})).to.throw('Usage: npm run ytdlp')
    expect(() => wantedBy([], { YTDLP_CHANNEL: 'newest' })).to.throw(ConfigError, 'YTDLP_CHANNEL')
  })

  /** The pauses between the upgrades, milliseconds. `ended`: the results of the upgrades, in order. */
  const sleepsOf = async (wanted: { channel: 'pinned' | 'stable'; isDaily: boolean }, ends: boolean[]) => {
    const left = [...ends]
    const sleeps: number[] = []
    const stop = new Error('enough')
    const sleep = async (ms: number) => {
      sleeps.push(ms)
      if (left.length === 0) throw stop
    }
    await keepUpgraded(wanted, async () => left.shift() ?? expect.fail('upgraded again'), sleep).catch((error) => {
      if (error !== stop) throw error
    })
    return sleeps
  }

  it('with --daily repeats after a day, or after an hour if it failed; a pinned yt-dlp is checked once', async () => {
    const [hour, day] = [3_600_000, 86_400_000]
    expect(await sleepsOf({ channel: 'stable', isDaily: true }, [true, false, true])).to.deep.equal([day, hour, day])
    expect(await sleepsOf({ channel: 'stable', isDaily: false }, [true])).to.deep.equal([])
    expect(await sleepsOf({ channel: 'pinned', isDaily: true }, [true])).to.deep.equal([])
  })
})
