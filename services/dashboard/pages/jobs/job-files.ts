import type { TranscriptResult } from '#contracts/generated/http.ts'
import { transcriptForms } from '#packages/captions/transcript-forms.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { DashboardParts } from '../../parts.ts'
import type { Download, OrgPageContext, Route } from '../../route.ts'
import { ownedIn } from './job-routes.tsx'
import { historyOf, resultOf } from './read-job.ts'

type Parts = Pick<DashboardParts, 'history' | 'watch'>

const JSON_TYPE = 'application/json; charset=utf-8'

const base = '/org/:orgId/jobs/:jobId'

/** The results of jobs as files. */
export const jobFileRoutes = (parts: Parts): Route[] => [
  ...Object.entries(transcriptForms).map(
    ([extension, { contentType, write }]): Route => ({
      path: `${base}/transcript.${extension}`,
      access: 'member',
      get: async (context) => {
        const { json, events } = await resultJson(parts, context, 'transcript')
        const words = events.findLast((event) => event.type === 'SpeechTranscribed')?.data.words
        const text = write(JSON.parse(json) as TranscriptResult, words)
        return fileOf(context, `transcript.${extension}`, contentType, text)
      },
    }),
  ),
  ...(['transcript', 'extraction'] as const).map(
    (kind): Route => ({
      path: `${base}/${kind}.json`,
      access: 'member',
      get: async (context) => fileOf(context, `${kind}.json`, JSON_TYPE, (await resultJson(parts, context, kind)).json),
    }),
  ),
  {
    path: `${base}/request.json`,
    access: 'member',
    async get(context) {
      const { events } = await historyOf(parts, ownedIn(context))
      const [first] = events
      if (first?.type !== 'JobRequested') throw noFile()
      const { url, mode, lang, prompt, schema, options } = first.data
      const request = JSON.stringify({ url, mode, lang, prompt, schema, options }, null, 2)
      return fileOf(context, 'request.json', JSON_TYPE, request)
    },
  },
]

const noFile = (): ServiceError => new ServiceError('not_found', 'This job has no such file.')

const fileOf = ({ params }: OrgPageContext, name: string, mediaType: string, body: string): Download => ({
  type: 'download',
  name: `${params.jobId}-${name}`,
  mediaType,
  body,
})

/** The result, and the events of its job. @throws ServiceError not_found where the job has no such result */
async function resultJson(parts: Parts, context: OrgPageContext, kind: 'transcript' | 'extraction') {
  const owned = ownedIn(context)
  const { events } = await historyOf(parts, owned)
  const result = await resultOf(parts, owned, kind)
  if (result === undefined) throw noFile()
  return { json: result.json, events }
}
