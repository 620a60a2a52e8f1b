import type { IncomingHttpHeaders } from 'node:http'
import { type FormName, transcriptForms } from '#packages/content/captions/transcript-forms.ts'
import { preferredType } from './preferred-type.ts'

const forms = new Map(
  Object.entries(transcriptForms).map(([name, { contentType }]) => [
    contentType.split(';', 1)[0] ?? '',
    name as FormName,
  ]),
)

const available = ['application/json', ...forms.keys()]

/** The form that `Accept` prefers, by q-values; undefined for JSON, also if `Accept` allows none of the forms. */
export const transcriptFormOf = (headers: IncomingHttpHeaders): FormName | undefined =>
  forms.get(preferredType(headers, available) ?? '')
