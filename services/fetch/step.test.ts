import { expect } from 'chai'
import { StepError } from '#packages/errors/step-error.ts'
import type { Video } from '#packages/platforms/platform.ts'
import type { Platforms } from '#packages/platforms/platforms.ts'
import type { StepContext } from '#packages/processing/step.ts'
import { fetchStep } from './step.ts'

const url = 'http://cdn.example.com/a.mp4?token=1'
const signal = new AbortController().signal
const context = { job: { url }, signal } as StepContext

/** A platform whose `fetch` is the given one. */
const reading = (fetch: (url: string, signal: AbortSignal) => Promise<Video>) =>
  ({ at: (asked: string) => (asked === url ? { fetch } : expect.fail(asked)) }) as unknown as Platforms

describe('the fetch step', () => {
  it('records what the platform says of the URL of the job', async () => {
    const video = { canonicalUrl: 'http://cdn.example.com/a.mp4' } as Video
    const platforms = reading(async (asked, passed) => {
      expect([asked, passed]).eql([url, signal])
      return video
    })
    expect(await fetchStep({ platforms })(context)).eql({ type: 'VideoFetched', data: video })
  })

  it("ends with the platform's error", async () => {
    const error = new StepError('video_private')
    const platforms = reading(() => Promise.reject(error))
    expect(await fetchStep({ platforms })(context).catch((thrown) => thrown)).equal(error)
  })
})
