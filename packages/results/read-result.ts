import type { TranscriptResult } from '#contracts/generated/http.ts'
import type { TimedWord } from '#packages/captions/cues/units.ts'
import { type FormName, transcriptForms } from '#packages/captions/transcript-forms.ts'
import { type ShownValue, shownValue } from './shown-value.ts'
import { type Place, type TranscriptPage, transcriptPage } from './transcript-page.ts'

/** What is wanted of a result. `json`: its text; for a form, also that of the Job object which has it. */
export type ResultQuestion = { json: string } & (
  | { want: 'page'; place: Place }
  | { want: 'value' }
  /** `words`: of speech, where they are known; null: they have not been looked for. */
  | { want: 'form'; form: FormName; words: readonly TimedWord[] | null }
)

/** `words`: the form needs the words of the speech. */
export type ResultAnswer = { page: TranscriptPage } | { value: ShownValue } | { text: string } | 'words'

/** Parses a result, and makes of it what is wanted. A large one takes long: see {@link Results}. */
export function readResult(question: ResultQuestion): ResultAnswer {
  const parsed = JSON.parse(question.json)
  switch (question.want) {
    case 'page':
      return { page: transcriptPage(parsed as TranscriptResult, question.place) }
    case 'value':
      return { value: shownValue(parsed) }
    case 'form': {
      const transcript = (parsed.resultJson ?? parsed) as TranscriptResult
      const { hasCues, write } = transcriptForms[question.form]
      const words = transcript.words ?? question.words
      if (hasCues && transcript.source === 'speech' && words === null) return 'words'
      return { text: write(transcript, words ?? undefined) }
    }
  }
}
