import type { Platforms } from '#packages/platforms/platforms.ts'
import type { StepWork } from '#packages/processing/step.ts'

/** What the video is: the first step of every job. */
export const fetchStep =
  ({ platforms }: { platforms: Pick<Platforms, 'at'> }): StepWork =>
  async ({ job, signal }) => ({ type: 'VideoFetched', data: await platforms.at(job.url).fetch(job.url, signal) })
