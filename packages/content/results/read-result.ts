import type { TranscriptResult } from '#contracts/generated/http.ts'
import { chunksOf } from '#packages/content/captions/chunks.ts'
import type { TimedWord } from '#packages/content/captions/cues/units.ts'
import { type FormName, transcriptForms } from '#packages/content/captions/transcript-forms.ts'
import { type ShownValue, shownValue } from './shown-value.ts'
import { type Place, type TranscriptPage, transcriptPage } from './transcript-page.ts'

/** A form of a transcript: a text, or the Job object with its text in chunks of this many characters. */
export type WantedForm = FormName | { chunkSize: number }

/** A question about a result. `json`: its text; for a form, the text of the Job object that contains it. */
export type ResultQuestion = { json: string } & (
  | { want: 'page'; place: Place }
  | { want: 'value' }
  /** `words`: those of the speech, if known. Null: not read yet. */
  | { want: 'form'; form: WantedForm; words: readonly TimedWord[] | null }
)

/** `words`: the form needs the words of the speech. */
export type ResultAnswer = { page: TranscriptPage } | { value: ShownValue } | { text: string } | 'words'

/** Parses a result, and makes the requested form of it. A large one takes long: see {@link Results}. */
export function readResult(question: ResultQuestion): ResultAnswer {
  const parsed = JSON.parse(question.json)
  switch (question.want) {
    case 'page':
      return { page: transcriptPage(parsed as TranscriptResult, question.place) }
    case 'value':
      return { value: shownValue(parsed) }
    case 'form':
      return inForm(parsed, question)
  }
}

/** @param parsed a transcript, or the Job object that contains it */
function inForm(
  parsed: TranscriptResult & { resultJson?: TranscriptResult },
  { form, words: known }: ResultQuestion & { want: 'form' },
): ResultAnswer {
  const transcript = parsed.resultJson ?? parsed
  const words = transcript.words ?? known
  const isTimed = typeof form !== 'string' || transcriptForms[form].hasCues
  if (isTimed && transcript.source === 'speech' && words === null) return 'words'
  if (typeof form === 'string') return { text: transcriptForms[form].write(transcript, words ?? undefined) }
  const chunks = chunksOf(transcript, form.chunkSize, words ?? [])
  return { text: JSON.stringify({ ...parsed, resultJson: { ...transcript, chunks } }) }
}
