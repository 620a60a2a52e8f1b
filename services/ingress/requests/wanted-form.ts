import type { Request } from 'express'
import { chunkSizes } from '#packages/content/captions/chunks.ts'
import type { WantedForm } from '#packages/content/results/read-result.ts'
import type { JobKind } from '#packages/domain/job/events.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { Query } from '#packages/foundation/validation/query.ts'
import { transcriptFormOf } from '../answers/transcript-form.ts'

const transcriptFormats = ['json', 'srt', 'vtt', 'txt'] as const

/**
 * The form in which a request wants a completed job: by `format` and `chunkSize`, else by `Accept`; undefined for the
 * plain Job object.
 * @throws ServiceError invalid_request
 */
export function wantedFormOf(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  kind: JobKind,
): WantedForm | undefined {
  const query = new Query(url)
  if (kind === 'extraction') {
    query.oneOf('format', ['json'])
    if (chunkSizeIn(query) !== undefined) throw invalidRequest({ path: 'chunkSize', message: 'is for transcripts' })
    return undefined
  }
  const format = query.oneOf('format', transcriptFormats)
  const chunkSize = chunkSizeIn(query)
  const form = format === undefined ? transcriptFormOf(headers) : format === 'json' ? undefined : format
  if (chunkSize === undefined) return form
  if (form !== undefined) throw invalidRequest({ path: 'chunkSize', message: 'needs the format json' })
  return { chunkSize }
}

function chunkSizeIn(query: Query): number | undefined {
  const none = 0
  return query.integer('chunkSize', { ...chunkSizes, fallback: none }) || undefined
}
