import { expect } from 'chai'
import type { Captions, Platform, Video } from '#packages/platforms/platform.ts'
import type { Platforms } from '#packages/platforms/platforms.ts'
import type { StepContext } from '#packages/processing/step.ts'
import { captionStep } from './step.ts'

const url = 'http://cdn.example.com/a.mp4?token=1'
const video = { captionTracks: [{ language: 'en' }] } as Video
const context = { job: { url, lang: 'en' }, video, signal: new AbortController().signal } as StepContext

const reading = (captions: Platform['captions']) => ({ at: () => ({ captions }) }) as unknown as Platforms

describe('the caption step', () => {
  it('records the captions, asked for in the language of the job', async () => {
    const read = { language: 'en', segments: [{ start: 0, end: 1, text: 'Hello' }] } as Captions
    const platforms = reading(async (asked, { lang, video: known, signal }) => {
      expect([asked, lang, known, signal]).eql([url, 'en', video, context.signal])
      return read
    })
    expect(await captionStep({ platforms })(context)).eql({ type: 'CaptionsRead', data: read })
  })

  it('records that there are none', async () => {
    const result = await captionStep({ platforms: reading(async () => undefined) })(context)
    expect(result).eql({ type: 'CaptionsUnavailable', data: { reason: 'captions_unavailable' } })
  })

  it('does not work before the video was fetched', async () => {
    const { video: _, ...early } = context
    const running = captionStep({ platforms: reading(async () => undefined) })({ ...early, video: undefined })
    expect(await running.catch((error) => error)).includes({ code: 'internal_error', transient: false })
  })
})
