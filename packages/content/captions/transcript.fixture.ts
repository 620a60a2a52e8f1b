import type { TranscriptResult } from '#contracts/generated/http.ts'
import { transcriptText } from './transcript-text.ts'

type Segments = TranscriptResult['segments']

/** A transcript in English. */
export const transcriptOf = (
  segments: Segments,
  source: TranscriptResult['source'] = 'captions',
): TranscriptResult => ({
  text: transcriptText(segments),
  segments,
  language: 'en',
  source,
  availableLanguages: null,
})
