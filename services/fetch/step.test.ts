import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Video, VideoSource } from '#packages/platforms/videos/video-source.ts'
import { stepContext } from '#test/doubles/step-context.ts'
import { fetchStep } from './step.ts'

const url = 'http://cdn.example.com/a.mp4?token=1'
const signal = new AbortController().signal
const context = stepContext({ url, orgId: 'org' }, { signal })

/** Platforms with the given `fetch` for every URL. */
const reading = (fetch: VideoSource['fetch']) => ({ fetch })

describe('the fetch step', () => {
  it("records the video that the platform has at the job's URL", async () => {
    const video = { canonicalUrl: 'http://cdn.example.com/a.mp4' } as Video
    const platforms = reading(async (asked, { onRead: _, ...reader }) => {
      const { deadlineAt: comesBackUntil } = context
      const expected = { owner: 'job', organization: 'org', refusals: 0, failures: 0, comesBackUntil, signal }
      expect([asked, reader]).to.deep.equal([url, expected])
      return video
    })
    expect(await fetchStep({ platforms })(context)).to.deep.equal({ type: 'VideoFetched', data: video })
  })

  it("ends with the platform's error", async () => {
    const error = new StepError('video_private')
    const platforms = reading(() => Promise.reject(error))
    expect(await fetchStep({ platforms })(context).catch((thrown) => thrown)).to.equal(error)
  })
})
