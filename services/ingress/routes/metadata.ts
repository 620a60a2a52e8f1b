import type { RequestHandler } from 'express'
import type { Answers } from '../answers/answer.ts'
import type { OutsideReads } from '../outside-reads.ts'
import { Query } from '../requests/query.ts'
import { type Sources, videoOf } from './sources.ts'

const MAX_URL_LENGTH = 2048

/** GET /v1/metadata */
export const getMetadata =
  ({ sources, reads, answers }: { sources: Sources; reads: OutsideReads; answers: Answers }): RequestHandler =>
  async (request, response) => {
    const { platform, canonical } = videoOf(new Query(request.url).requiredText('url', MAX_URL_LENGTH))
    const what = { key: `video ${canonical}`, platform, field: 'url' }
    const metadata = await reads.run(response, what, (reading) => sources.metadata(canonical, reading))
    answers.json(response, 200, metadata)
  }
