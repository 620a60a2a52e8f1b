/** What each way of refusing a video costs the customer, and what the operator sees. On the sandbox. */
import { expect } from 'chai'
import type { Warning } from '#packages/foundation/readiness/readiness.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { OtlpReceiver } from '#test/doubles/otlp/receiver.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { troubled } from '#test/doubles/service/sandbox-videos.ts'
import { until } from '#test/doubles/service/until.ts'

/** With each, the platform distrusts us, whatever we request. */
const refusalsOfUs = ['bot_check', 'bot_check_interstitial', 'other_video', 'needs_reload', 'rate_limited'] as const

/** Each is about one video, and ends its job at once. */
const refusalsOfVideos = [
  ['youtube', 'private_interstitial', 'video_private'],
  ['facebook', 'login_wall', 'login_required'],
] as const

describe('refusals', function () {
  this.timeout(60_000)
  const receiver = openedForAll(() => OtlpReceiver.start())
  const setting = openedForAll(() =>
    SandboxSetting.start({
      env: () => ({ ...receiver.env, JOB_WINDOW_SECONDS: '12' }),
    }),
  )
  const me = madeForAll(() => setting.client())

  const warnings = async () => (await me.read<{ warnings: Warning[] }>('/ready')).warnings
  const alarms = () => receiver.logs.filter(({ body }) => body.includes('no longer understands'))
  const measured = (platform: string, code: string) =>
    until(`the metric has ${code} of ${platform}`, () =>
      receiver
        .seriesOf(metrics.readDuration)
        .some((labels) => labels[names.platform] === platform && labels[names.outcome] === code),
    )

  for (const [platform, trouble, code] of refusalsOfVideos)
    it(`${trouble} is ${code}: final, refunded, and nothing for the operator`, async () => {
      const credits = await me.credits()
      const { body } = await me.run({ url: troubled(trouble).url, mode: 'native' })
      expect(body.error).to.include({ code })
      expect(await me.credits()).to.equal(credits)
      await measured(platform, code)
      expect(await warnings()).to.deep.equal([])
      expect(alarms()).to.deep.equal([])
    })

  it('five of us leave the platform alone: /ready and the metric say so, jobs are refunded, and no alert fires', async () => {
    const credits = await me.credits()
    const refusal = { platform: 'youtube', code: 'platform_blocked' }
    for (const trouble of refusalsOfUs) {
      const { status, headers, body } = await me.metadata(troubled(trouble).url)
      // oEmbed gives some of them, without what only the refused read gives.
      if (status === 200) expect(headers.get('x-metadata-incomplete'), trouble).to.include('duration')
      else expect([status, body.details], trouble).to.deep.equal([502, refusal])
    }
    // Once by each of the two ways.
    expect((await warnings()).map(({ code }) => code)).to.deep.equal(['platform_refuses', 'platform_refuses'])
    const { body } = await me.run({ url: troubled('needs_reload').url, mode: 'native' })
    expect(body.error).to.include({ code: 'platform_blocked' })
    expect(await me.credits()).to.equal(credits)
    await measured('youtube', 'platform_blocked')
    expect(alarms()).to.deep.equal([])
  })
})
