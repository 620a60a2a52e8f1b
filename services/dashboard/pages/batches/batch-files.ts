import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { BatchResults, formatsOf, type ResultFormat, resultFormats } from '#packages/jobs/batches/batch-results.ts'
import type { DashboardParts } from '../../parts.ts'
import type { MadeFile, OrgPageContext, Route } from '../../route.ts'

type Parts = Pick<DashboardParts, 'batches' | 'watch' | 'results' | 'rates' | 'concurrency' | 'log'>

/** File names for the results of a batch, such as `results.srt.zip`. */
export const resultNames: Readonly<Record<ResultFormat, string>> = {
  ndjson: 'results.ndjson',
  csv: 'results.csv',
  srt: 'results.srt.zip',
  vtt: 'results.vtt.zip',
  txt: 'results.txt.zip',
}

/** The results of a batch as one file. */
export function batchFileRoutes(parts: Parts): Route[] {
  const files = new BatchResults(parts)
  return resultFormats.map((format) => ({
    path: `/org/:orgId/batches/:batchId/${resultNames[format]}`,
    access: 'member',
    get: (context) => fileOf(parts, files, format, context),
  }))
}

/** @throws ServiceError not_found, rate_limited, unavailable if too many are read at once */
async function fileOf(
  { batches, rates, concurrency, log }: Parts,
  files: BatchResults,
  format: ResultFormat,
  { params, org: { orgId }, visitor, signal }: OrgPageContext,
): Promise<MadeFile> {
  const { batchId = '' } = params
  const batch = await batches.read(orgId, batchId)
  if (!formatsOf(batch.request.kind).includes(format))
    throw new ServiceError('not_found', 'This batch has no such file.')
  await rates.ofPages('heavy', orgId)
  const over = concurrency.begin({ keyId: visitor.session.hash, orgId }, 1)
  const { name, contentType, parts } = files.file({ batchId, batch, format, signal })
  async function* made(): AsyncIterable<string | Uint8Array> {
    try {
      yield* parts
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, batchId, orgId }, 'a file of results broke off')
      throw error
    } finally {
      over()
    }
  }
  return { type: 'file', name, mediaType: contentType, parts: made() }
}
