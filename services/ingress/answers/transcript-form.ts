import type { IncomingHttpHeaders } from 'node:http'
import { type TranscriptForm, transcriptForms } from '#packages/captions/transcript-forms.ts'
import { preferredType } from './preferred-type.ts'

const forms = new Map(Object.values(transcriptForms).map((form) => [form.contentType.split(';', 1)[0] ?? '', form]))

const available = ['application/json', ...forms.keys()]

/** The form that `Accept` prefers, by q-values; undefined for JSON, also where `Accept` allows none of the forms. */
export const transcriptFormOf = (headers: IncomingHttpHeaders): TranscriptForm | undefined =>
  forms.get(preferredType(headers, available) ?? '')
