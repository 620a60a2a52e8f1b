import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { PaceAdmission } from './pace-admission.ts'

const TIKTOK = 'https://www.tiktok.com/@a/video/7000000000000000001'

describe('the door, where a platform is read as fast as it may be', () => {
  const telemetry = new RecordingTelemetry()
  const waits: Record<string, number> = { 'tiktok patient': 60, 'tiktok busy': 60.5 }
  const paceWaitSeconds = (platform: string, orgId: string) => waits[`${platform} ${orgId}`] ?? 0
  const door = new PaceAdmission({ platforms: { paceWaitSeconds }, telemetry }, { windowSeconds: 180 })

  it('refuses a job that would wait for more than a third of its window, and says when another would not', () => {
    expect(() => door.assertRoom(TIKTOK, 'busy'))
      .to.throw(/nothing was charged/)
      .that.includes({ code: 'unavailable', retryAfterSeconds: 1 })
    const refused = telemetry.values.filter(({ name }) => name === metrics.paceJobsRefused.name)
    expect(refused.map(({ attributes }) => attributes)).to.deep.equal([{ 'video.platform': 'tiktok' }])
  })

  it('lets in who waits for less, other platforms and direct files, and tells estimates of the wait', () => {
    const urls = [TIKTOK, 'https://x.com/a/status/1', 'https://files.example.com/a.mp4']
    for (const url of urls) expect(() => door.assertRoom(url, 'patient')).to.not.throw()
    expect(urls.map((url) => door.waitSeconds(url, 'patient'))).to.deep.equal([60, 0, 0])
  })
})
