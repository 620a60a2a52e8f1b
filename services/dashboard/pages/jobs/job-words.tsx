/** @jsxRuntime automatic @jsxImportSource preact */
/** Words for jobs, used by the list and by the page of one job. */
import type { VNode } from 'preact'
import type { JobDetails, JobWarning, ListedJob, TranscriptResult } from '#contracts/generated/http.ts'
import { cutTo } from '#packages/content/results/html-weight.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import { type CodeWords, failureCodeWords } from '#packages/foundation/errors/code-words.ts'
import { platformNamed, platformNames } from '#packages/platforms/registry.ts'
import { Marked } from '../../look/marked.tsx'
import { creditsWords } from '../../look/parts.tsx'

export const platformLabels = new Map<string, string>([
  ...platformNames.map((name) => [name, platformNamed(name).label] as const),
  ['direct', 'Media file'],
])

export const surfaceLabels = new Map<ListedJob['surface'], string>([
  ['api', 'API'],
  ['mcp', 'Tool server'],
  ['dashboard', 'Dashboard'],
  ['batch', 'Batch'],
  ['watch', 'Watch'],
])

export const modeWords = {
  native: 'captions only',
  generate: 'speech to text',
  auto: 'captions, else speech to text',
} as const

export const askedFor = ({ kind, mode }: Pick<ListedJob, 'kind' | 'mode'>): string =>
  kind === 'extraction' ? 'Extraction' : `Transcript, ${modeWords[mode ?? 'auto']}`

/** What a new job of this kind and mode costs. */
export function costWords(request: Parameters<typeof debitOf>[0]): string {
  const { full, least } = debitOf(request)
  const credits = creditsWords(full)
  return full === least ? credits : `up to ${credits}`
}

export const sourceWords: Readonly<Record<TranscriptResult['source'], string>> = {
  captions: 'captions written by people',
  automatic_captions: 'the platform’s automatic captions',
  translated_captions: 'captions translated by the platform',
  speech: 'speech to text',
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

const MAX_TAG_LENGTH = 64

/** A language's English name, or its tag if there is no name: tags from videos can be anything. */
export function languageWords(tag: string): string {
  try {
    return languages.of(tag) ?? tag.slice(0, MAX_TAG_LENGTH)
  } catch {
    return tag.slice(0, MAX_TAG_LENGTH)
  }
}

const noWords: CodeWords = { meaning: 'The job failed.', charged: '', advice: '' }

/** What the documentation says about the failure of a job. */
export const failureOf = (code: string): CodeWords => failureCodeWords.get(code) ?? noWords

type Standing = ListedJob['status'] | JobDetails['state']

const standings: Readonly<Record<Standing, readonly [words: string, tone: string]>> = {
  queued: ['In progress', 'busy'],
  // The timeline shows which of these it is, and keeps that up to date.
  waiting: ['In progress', 'busy'],
  working: ['In progress', 'busy'],
  settling: ['In progress', 'busy'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', ''],
}

export const StandingBadge = ({ of: standing }: { of: Standing }): VNode => {
  const [words, tone] = standings[standing]
  return <span class={`badge ${tone}`}>{words}</span>
}

/** The state of a listed job. A cancellation is a failure with a code of its own. */
export const standingOf = ({ status, errorCode }: Pick<ListedJob, 'status' | 'errorCode'>): Standing =>
  errorCode === 'cancelled' ? 'cancelled' : status

export function warningWords(warning: JobWarning): string {
  if (warning.code === 'words_unavailable')
    return 'Word timings were requested, but neither the captions nor the speech engine provide them.'
  if (warning.code === 'captions_unread')
    return `Captions could not be read, so the audio was transcribed, at the price of speech-to-text. ${failureOf(warning.reason).meaning}`
  if (warning.code === 'vocabulary_unheeded')
    return warning.heeded === 0
      ? 'The speech engine does not support a vocabulary: names may be misspelled.'
      : `The vocabulary is too long for the speech engine, which used the first ${warning.heeded} characters.`
  if (warning.code === 'language_unknown')
    return warning.didYouMean === null
      ? 'The requested language is not known, so it was detected instead.'
      : `The requested language is not known, so it was detected instead. Did you mean ${languageWords(warning.didYouMean)} (${warning.didYouMean})?`
  if (warning.code === 'language_contradicted') {
    const percent = Math.floor(warning.probability * 100)
    return `The spoken language differs from the requested one: ${languageWords(warning.heard)} (${warning.heard}), ${percent} % sure. The text may be a poor translation.`
  }
  const available = warning.available.map((tag) => `${languageWords(tag)} (${tag})`)
  return `The text is not in the requested language. Available: ${available.join(', ')}.`
}

/** The job's own message of why it failed; nothing if it did not fail. */
export const Failure = ({ of: { errorCode, errorMessage } }: { of: ListedJob }): VNode | null =>
  errorMessage === null || errorCode === 'cancelled' ? null : (
    <span class="quiet small under">
      <Marked text={errorMessage} />
    </span>
  )

/** Titles and authors' names may be of any length. */
const MAX_NAME_BYTES = 300

/** The name of a video's author, cut to the space there is. */
export const authorName = (author: string): string => cutTo(author, MAX_NAME_BYTES)

/** The display name of a job: the title of its video, or the URL while the title is unknown. */
export const nameOf = ({ title, url }: Pick<ListedJob, 'title' | 'url'>): string =>
  cutTo(title?.trim() || shortUrl(url), MAX_NAME_BYTES)

/** The longest URL that is shown in full, characters. */
const SHOWN_URL_LENGTH = 64

/** A URL for display: without its scheme, and cut in the middle if it is long. */
export function shortUrl(url: string): string {
  const bare = url.replace(/^https?:\/\/(www\.)?/i, '')
  if (bare.length <= SHOWN_URL_LENGTH) return bare
  return `${bare.slice(0, SHOWN_URL_LENGTH - 24)}…${bare.slice(-20)}`
}

/** Seconds of a video as players show them: 75 is 1:15. */
export function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (n: number): string => String(n).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}
