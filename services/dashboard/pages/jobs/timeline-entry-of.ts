import type { TimelineEvent } from '#contracts/generated/http.ts'
import { cutTo } from '#packages/content/results/html-weight.ts'
import type { Step } from '#packages/domain/job/events.ts'
import { creditsWords } from '../../look/parts.tsx'
import { failureOf, languageWords, sourceWords } from './job-words.tsx'
import type { TimelineEntry } from './timeline-entry.ts'

const doing: Readonly<Record<Step, string>> = {
  fetch: 'Looking up the video',
  caption: 'Reading captions',
  'speech-to-text': 'Transcribing audio',
  extract: 'Extracting data',
}

/** A video's title may have any length. */
const MAX_DETAIL_BYTES = 600

/** An event of a job's timeline in words. */
export function timelineEntryOf(event: TimelineEvent): TimelineEntry {
  const { id, type, step } = event
  const [title, detail] = wordsOf(event)
  const shown = detail === null ? null : cutTo(detail, MAX_DETAIL_BYTES)
  return { id, type, at: Date.parse(event.at), ...(step && { step }), title, detail: shown }
}

type Words = readonly [title: string, detail: string | null]

function wordsOf(event: TimelineEvent): Words {
  const { step = 'fetch', attempt = 1, language = null, segments = 0 } = event
  switch (event.type) {
    case 'accepted':
      return ['Accepted', `${creditsWords(event.credits ?? 0)} held`]
    case 'step_started':
      return [doing[step], attempt > 1 ? `Attempt ${attempt}` : null]
    case 'step_retry':
      return retryWords(event)
    case 'step_completed':
      return [`${doing[step]} is over`, null]
    case 'video_found':
      return ['Video found', event.title ?? null]
    case 'captions_found':
      return ['Captions found', [sourceWords[event.source ?? 'captions'], ...textWords(language, segments)].join(', ')]
    case 'captions_unavailable':
      return ['No usable captions', event.reason === undefined ? null : failureOf(event.reason).meaning]
    case 'speech_transcribed':
      return ['Speech transcribed', textWords(language, segments).join(', ')]
    case 'completed':
      return ['Completed', null]
    case 'failed':
      return ['Failed', event.message ?? null]
    case 'cancelled':
      return ['Cancelled', null]
    case 'credits_settled':
      return ['Credits settled', `${event.charged ?? 0} charged, ${event.refunded ?? 0} refunded`]
  }
}

const textWords = (language: string | null, segments: number): string[] => [
  ...(language === null ? [] : [languageWords(language)]),
  segments === 1 ? '1 segment' : `${segments} segments`,
]

const retrying: Readonly<Record<Step, string>> = {
  fetch: 'Will look up the video again',
  caption: 'Will read captions again',
  'speech-to-text': 'Will transcribe the audio again',
  extract: 'Will extract the data again',
}

/** What is retried, why and when. A released step has not failed. */
function retryWords({ step = 'fetch', attempt = 1, reason = '', at, until = at }: TimelineEvent): Words {
  const seconds = Math.ceil((Date.parse(until) - Date.parse(at)) / 1000)
  const when = seconds <= 0 ? 'at once' : seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`
  if (reason === 'released') return ['Moving to another worker', `${doing[step]} restarts ${when}.`]
  if (reason === 'pace')
    return ['Waiting for the platform', `Its rate limit is reached. ${doing[step]} continues ${when}.`]
  return [retrying[step], `${failureOf(reason).meaning} Attempt ${attempt + 1} starts ${when}.`]
}
