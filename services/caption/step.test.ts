import { expect } from 'chai'
import { noOptions } from '#packages/domain/job/events.ts'
import type { Captions, Video, VideoSource } from '#packages/platforms/videos/video-source.ts'
import { stepContext } from '#test/doubles/step-context.ts'
import { captionStep } from './step.ts'

const url = 'http://cdn.example.com/a.mp4?token=1'
const video = { captionTracks: [{ language: 'en' }] } as Video
const context = stepContext({ url, lang: 'en' }, { video })

const reading = (captions: VideoSource['captions']) => ({ captions })

describe('the caption step', () => {
  it("requests captions in the job's language and records them", async () => {
    const read = { language: 'en', segments: [{ start: 0, end: 1, text: 'Hello' }] } as Captions
    const platforms = reading(async (asked, { lang, strictLang, translate, video: known, signal }) => {
      expect([asked, lang, known, signal]).to.deep.equal([url, 'en', video, context.signal])
      expect([strictLang, translate]).to.deep.equal([false, true])
      return read
    })
    const asking = { ...context, job: { ...context.job, options: { ...noOptions, translate: true } } }
    expect(await captionStep({ platforms })(asking)).to.deep.equal({ type: 'CaptionsRead', data: read })
  })

  it('records that there are no captions', async () => {
    const result = await captionStep({ platforms: reading(async () => undefined) })(context)
    expect(result).to.deep.equal({ type: 'CaptionsUnavailable', data: { reason: 'captions_unavailable' } })
  })

  it('refuses captions with a result over 2 MB, and accepts the largest result below that', async () => {
    const reply = (count: number) => {
      const segments = Array.from({ length: count }, (_, at) => ({ start: at, end: at, text: '\u0001'.repeat(100) }))
      return captionStep({ platforms: reading(async () => ({ language: 'en', segments }) as unknown as Captions) })
    }
    const error = await reply(7000)(context).catch((error) => error)
    expect(error).to.include({ name: 'StepError', code: 'result_too_large', transient: false })
    expect((await reply(1500)(context)).type).to.equal('CaptionsRead')
  })

  it('counts both the text and the segments of a result', async () => {
    const segments = [{ start: 0, end: 1, text: 'Hello' }]
    const bytes = Buffer.byteLength(JSON.stringify({ segments })) + Buffer.byteLength('"Hello"')
    const platforms = reading(async () => ({ segments }) as unknown as Captions)
    expect((await captionStep({ platforms, maxResultBytes: bytes })(context)).type).to.equal('CaptionsRead')
    const refused = captionStep({ platforms, maxResultBytes: bytes - 1 })(context)
    expect(await refused.catch((error) => error)).to.include({ code: 'result_too_large' })
  })

  it('leaves out word timings if they would make the result too large', async () => {
    const segments = [{ start: 0, end: 1, text: 'Hello' }]
    const words = segments.map((segment) => ({ ...segment, text: 'x'.repeat(1000) }))
    const platforms = reading(async () => ({ segments, words }) as unknown as Captions)
    const resultWith = async (maxResultBytes: number) =>
      (await captionStep({ platforms, maxResultBytes })(context)).data
    expect(await resultWith(2000)).to.deep.equal({ segments, words })
    expect(await resultWith(1000)).to.deep.equal({ segments })
  })

  it('fails if the video was not fetched first', async () => {
    const running = captionStep({ platforms: reading(async () => undefined) })({ ...context, video: undefined })
    expect(await running.catch((error) => error)).to.include({ code: 'internal_error', transient: false })
  })
})
