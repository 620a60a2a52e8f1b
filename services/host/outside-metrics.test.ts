import { expect } from 'chai'
import type { BlockedRoute } from '#packages/platforms/breakers/breakers.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { observeOutside } from './outside-metrics.ts'

describe('metrics of the outside', () => {
  it('cover every platform, also if nothing is wrong, without naming an exit', async () => {
    const blocked: BlockedRoute[] = ['one:1', 'two:2'].map((exit) => ({
      platform: 'youtube',
      exit,
      way: 'yt-dlp',
      state: 'open',
      since: '2026-11-22T10:00:00Z',
    }))
    const restingAccounts = [{ platform: 'instagram' as const, until: new Date() }]
    const telemetry = new RecordingTelemetry()
    const cache = { bytes: 0, measure: async () => void Object.assign(cache, { bytes: 12 }) }
    const waitingReads = (platform: string) => (platform === 'x' ? 3 : 0)
    const standing = () => ({ blocked, restingAccounts })
    await observeOutside(telemetry, { platforms: { standing, waitingReads }, cache })
    const breakers = telemetry.observed(metrics.breakers)
    expect(breakers).to.have.length(10)
    expect(breakers.filter(([, , value]) => value !== 0)).to.deep.equal([['youtube', 'open', 2]])
    const accounts = telemetry.observed(metrics.accountsResting)
    expect(accounts).to.have.length(5)
    expect(accounts.filter(([, value]) => value !== 0)).to.deep.equal([['instagram', 1]])
    const waiting = telemetry.observed(metrics.paceWaiting)
    expect(waiting).to.have.length(5)
    expect(waiting.filter(([, value]) => value !== 0)).to.deep.equal([['x', 3]])
    expect(telemetry.observed(metrics.mediaCacheSize)).to.deep.equal([[12]])
    expect(JSON.stringify([breakers, accounts])).to.not.contain('one')
  })
})
