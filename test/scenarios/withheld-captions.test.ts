/**
 * YouTube lists some captions only with a proof token. They exist, so the service must never report "no captions". On
 * the sandbox.
 */
import { expect } from 'chai'
import type { JobDetails, VideoMetadata } from '#contracts/generated/http.ts'
import type { Warning } from '#packages/foundation/readiness/readiness.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { startTokenService } from '#services/sandbox/youtube/token-service.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { OtlpReceiver } from '#test/doubles/otlp/receiver.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { troubled } from '#test/doubles/service/sandbox-videos.ts'
import { until } from '#test/doubles/service/until.ts'

const held = troubled('captions_withheld')

describe('captions that a platform withholds', function () {
  this.timeout(120_000)
  const receiver = openedForAll(() => OtlpReceiver.start())
  const setting = openedForAll(() => SandboxSetting.start({ env: () => ({ ...receiver.env, YTDLP_WORKERS: '1' }) }))

  it('end a native job as a refusal, after one attempt if no other exit address is available, and refunded', async () => {
    const me = await setting.client({ credits: 3 })
    const jobId = await me.enqueue({ url: held.url, mode: 'native' })
    const { body, headers } = await me.ended(jobId)
    expect(body.error).to.deep.include({ code: 'platform_blocked' })
    expect(body.error).to.have.property('message').that.contains('holds back the captions')
    expect(headers.get('x-captions-unread')).to.equal(null)
    expect(await setting.startsOf(jobId)).to.deep.equal(['fetch', 'caption'])
    expect(await me.credits()).to.equal(3)
  })

  it('are replaced by speech in an auto job, charged as speech, with the reason', async () => {
    const me = await setting.client({ credits: 7 })
    const jobId = await me.enqueue({ url: held.url, mode: 'auto' })
    const { body, headers } = await me.ended(jobId)
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'speech')
    expect(headers.get('x-captions-unread')).to.equal('platform_blocked')
    expect(headers.get('x-credits-charged')).to.equal('5')
    const { warnings } = await me.read<JobDetails>(`/v1/jobs/${jobId}`)
    expect(warnings).to.deep.equal([{ code: 'captions_unread', reason: 'platform_blocked' }])
    expect(await me.credits()).to.equal(2)
  })

  it('end an auto job that cannot pay for speech as a refusal, refunded', async () => {
    const me = await setting.client({ credits: 3 })
    const { body } = await me.run({ url: held.url, mode: 'auto' })
    expect(body.error).to.deep.include({ code: 'platform_blocked' })
    expect(body.error).to.have.property('message').that.contains('too few credits are left for speech-to-text')
    expect(await me.credits()).to.equal(3)
  })

  it('leave metadata and speech available to a caller, and do not appear as an empty list', async () => {
    const me = await setting.client({ credits: 5 })
    const answer = await me.metadata(held.url, '&include=captions')
    const { title, captions } = JSON.parse(answer.text) as VideoMetadata
    expect([answer.status, title]).to.deep.equal([200, held.title])
    // YouTube's own API lists them, whoever may have them; yt-dlp does not.
    expect(captions).to.not.deep.equal([])
    const { body, headers } = await me.run({ url: held.url, mode: 'generate' })
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'speech')
    expect(headers.get('x-captions-unread')).to.equal(null)
  })

  it('are reported to operators with the remedy: by /ready, log and metric, and no circuit breaker counts them', async () => {
    const me = await setting.client()
    const ready = await me.read<{ blocked: unknown[]; warnings: Warning[] }>('/ready')
    expect(ready.blocked).to.deep.equal([])
    const warning = ready.warnings.find(({ code }) => code === 'captions_withheld')
    expect(warning?.message).to.match(/^youtube holds back captions.*YOUTUBE_POT_URL/)
    const series = () => receiver.seriesOf(metrics.readerWarnings)
    const meaning = { 'video.platform': 'youtube', 'video.warning.meaning': 'captions_withheld' }
    await until('it is counted', () => series().length > 0)
    expect(series()).to.deep.include(meaning)
    const logged = () => receiver.logs.filter(({ body }) => body === 'a platform holds captions back')
    await until('it is logged', () => logged().length > 0)
    const [line] = logged()
    expect(JSON.stringify(line?.attributes)).to.contain('YOUTUBE_POT_URL').and.not.contain(held.id)
  })

  it('are read if the service makes proof tokens', async () => {
    await using tokens = await startTokenService()
    await using other = await SandboxSetting.start({ env: () => ({ YOUTUBE_POT_URL: tokens.url, YTDLP_WORKERS: '1' }) })
    const me = await other.client({ credits: 3 })
    const { body } = await me.run({ url: held.url, mode: 'native' })
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'captions')
    expect(await me.credits()).to.equal(2)
    expect(tokens.requests.map(({ content }) => content)).to.include(held.id)
    expect(await me.read('/ready')).to.deep.include({ warnings: [] })
  })
})
