import { transcriptForms } from '#packages/content/captions/transcript-forms.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { DashboardParts } from '../../parts.ts'
import type { Download, OrgPageContext, Route } from '../../route.ts'
import { ownedIn } from './job-routes.tsx'
import { historyOf, jsonOf } from './read-job.ts'

type Parts = Pick<DashboardParts, 'history' | 'watch' | 'results'>

const JSON_TYPE = 'application/json; charset=utf-8'

const base = '/org/:orgId/jobs/:jobId'

/** The results of jobs as files. */
export const jobFileRoutes = (parts: Parts): Route[] => [
  ...(['srt', 'vtt', 'txt'] as const).map(
    (form): Route => ({
      path: `${base}/transcript.${form}`,
      access: 'member',
      get: async (context) => {
        const { jobId, orgId } = ownedIn(context)
        const json = () => jsonOf(parts, { jobId, orgId }, 'transcript')
        const reads = { json, words: () => parts.watch.wordsOf(jobId) }
        const text = await parts.results.transcriptIn(form, reads, { orgId, signal: context.signal })
        return fileOf(context, `transcript.${form}`, transcriptForms[form].contentType, text)
      },
    }),
  ),
  ...(['transcript', 'extraction'] as const).map(
    (kind): Route => ({
      path: `${base}/${kind}.json`,
      access: 'member',
      get: async (context) => fileOf(context, `${kind}.json`, JSON_TYPE, await jsonOf(parts, ownedIn(context), kind)),
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

/** @throws ServiceError not_found if the job has no such result */
function fileOf({ params }: OrgPageContext, name: string, mediaType: string, body: string | undefined): Download {
  if (body === undefined) throw noFile()
  return { type: 'download', name: `${params.jobId}-${name}`, mediaType, body }
}
