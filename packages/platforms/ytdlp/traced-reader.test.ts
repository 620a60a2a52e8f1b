import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { EndedSpan } from '#packages/telemetry/telemetry.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { scriptedRoute } from '#test/doubles/scripted-route.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import type { OwnReader } from './create-reader.ts'
import type { VideoInfo } from './info.ts'
import type { ReaderWish } from './reader.ts'
import { tracedReader } from './traced-reader.ts'

const { signal } = new AbortController()
const failure = new StepError('platform_blocked')
const told = ({ name, attributes, error }: EndedSpan) => ({ name, attributes, error })

describe('a reader with tracing', () => {
  const telemetry = new RecordingTelemetry()

  it('is a span for each call, with the platform and no video', async () => {
    const info = { title: 'a title' } as unknown as VideoInfo
    const reader: OwnReader = {
      info: async () => info,
      captions: async () => 'text',
      media: () => Promise.reject(failure),
      page: async () => ({ status: 200, url: 'https://x.com/', location: null, text: '' }),
      restingAccounts: [],
      withholding: [],
      pids: [17],
      health: { warnings: [] },
      [Symbol.asyncDispose]: async () => {},
    }
    const traced = tracedReader(reader, telemetry)
    const route = scriptedRoute(() => undefined)
    const wish: ReaderWish = { canonicalUrl: 'https://x.com/a/status/1', platform: 'x', route, signal }
    await telemetry.within(newTraceparent(true), async () => {
      expect(await traced.info(wish)).to.equal(info)
      expect(await traced.captions(wish, { language: 'en', automatic: false, ext: 'vtt' })).to.equal('text')
      const asked = { formatId: '1', path: '/tmp/a', maxBytes: 1, reserve: async () => {} }
      expect(await failureOf(traced.media(wish, asked))).to.equal(failure)
    })
    const attributes = {
      'video.tool': 'yt-dlp',
      'video.platform': 'x',
      'server.address': 'x.com',
      'video.egress.route': 'direct',
    }
    expect(telemetry.spans.map(told)).to.deep.equal([
      { name: 'yt-dlp info', attributes, error: undefined },
      { name: 'yt-dlp captions', attributes, error: undefined },
      { name: 'yt-dlp media', attributes, error: 'platform_blocked' },
    ])
    expect(traced.pids).to.deep.equal([17])
  })
})
