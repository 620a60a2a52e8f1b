import type { JobWarning } from '#contracts/generated/http.ts'
import { sameLanguage } from '#packages/content/languages/closeness.ts'
import { isLanguage, likelyLanguage } from '#packages/content/languages/languages.ts'
import { unreadFor } from '#packages/domain/job/unread-captions.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

type Requested = DomainEvent<'JobRequested'>['data']
type Text = DomainEvent<'CaptionsRead' | 'SpeechTranscribed'>

/** A probability above this causes a warning. */
const NEARLY_SURE = 0.9

const isText = (event: DomainEvent): event is Text =>
  event.type === 'CaptionsRead' || event.type === 'SpeechTranscribed'

/**
 * How the text of a job differs from the request. A misunderstood language is reported from the beginning, the rest
 * once there is a text.
 * @param events of the job, oldest first. Only JobRequested, VideoFetched, CaptionsRead, CaptionsUnavailable and
 *   SpeechTranscribed are needed
 */
export function warningsOf(events: readonly DomainEvent[]): JobWarning[] {
  const requested = events.find((event) => event.type === 'JobRequested')?.data
  if (requested === undefined) return []
  const text = events.find(isText)
  return [
    ...languageWarnings(requested, events, text),
    ...wordWarnings(requested, text),
    ...vocabularyWarnings(requested, text),
    ...captionWarnings(events, text),
  ]
}

function languageWarnings(
  { lang: wanted }: Requested,
  events: readonly DomainEvent[],
  text: Text | undefined,
): JobWarning[] {
  if (wanted === null) return []
  if (!isLanguage(wanted)) return [{ code: 'language_unknown', didYouMean: likelyLanguage(wanted) }]
  const given = text?.data.language ?? null
  if (text === undefined || given === null) return []
  if (sameLanguage(given, wanted)) return contradictionOf(text, wanted)
  const heard = text.type === 'SpeechTranscribed'
  return [{ code: 'language_unavailable', available: heard ? [given] : captionLanguages(events, given) }]
}

/** The engine wrote in the requested language, but is nearly certain that another one is spoken. */
function contradictionOf(text: Text, wanted: string): JobWarning[] {
  const heard = text.type === 'SpeechTranscribed' ? text.data.heard : undefined
  if (heard === undefined || sameLanguage(heard.language, wanted) || heard.probability <= NEARLY_SURE) return []
  return [{ code: 'language_contradicted', heard: heard.language, probability: heard.probability }]
}

/** The languages of the video's captions, including that of the text. */
function captionLanguages(events: readonly DomainEvent[], given: string): string[] {
  const tracks = events.find((event) => event.type === 'VideoFetched')?.data.captionTracks ?? []
  const languages = tracks.flatMap(({ language }) => (language === null ? [] : [language]))
  return [...new Set([...languages, given])]
}

const wordWarnings = ({ options }: Requested, text: Text | undefined): JobWarning[] =>
  options.words && text !== undefined && text.data.words === undefined ? [{ code: 'words_unavailable' }] : []

/** Speech replaced captions that may exist. */
function captionWarnings(events: readonly DomainEvent[], text: Text | undefined): JobWarning[] {
  const without = events.find((event) => event.type === 'CaptionsUnavailable')
  const reason = without && unreadFor(without.data)
  return reason === undefined || text?.type !== 'SpeechTranscribed' ? [] : [{ code: 'captions_unread', reason }]
}

/** Captions are used unchanged. Only an engine could have used the vocabulary. */
function vocabularyWarnings({ options: { vocabulary } }: Requested, text: Text | undefined): JobWarning[] {
  if (vocabulary === null || text?.type !== 'SpeechTranscribed') return []
  const heeded = text.data.vocabularyHeeded ?? 0
  return heeded < [...vocabulary].length ? [{ code: 'vocabulary_unheeded', heeded }] : []
}
