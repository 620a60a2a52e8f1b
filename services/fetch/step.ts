import type { StepWork } from '#packages/jobs/processing/step.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { readingOf } from '#packages/platforms/reading/reading-of.ts'

/** The first step of every job: finds out which video the URL names. */
export const fetchStep =
  ({ platforms }: { platforms: Pick<Platforms, 'fetch'> }): StepWork =>
  async (context) => ({ type: 'VideoFetched', data: await platforms.fetch(context.job.url, readingOf(context)) })
