import type { TranscriptResult } from '#contracts/generated/http.ts'
import { speechCues } from './cues/speech-cues.ts'
import type { TimedWord } from './cues/units.ts'

type Cue = { start: number; end: number; text: string }

/** A form other than JSON of a completed transcript. */
export type TranscriptForm = {
  contentType: string
  /** Whether it consists of cues. */
  hasCues: boolean
  /** @param words of speech, if known: the cues of speech are made from them */
  write(transcript: TranscriptResult, words?: readonly TimedWord[]): string
}

export type FormName = 'vtt' | 'srt' | 'txt'

export const transcriptForms: Readonly<Record<FormName, TranscriptForm>> = {
  vtt: { contentType: 'text/vtt; charset=utf-8', hasCues: true, write: webVtt },
  srt: { contentType: 'application/x-subrip; charset=utf-8', hasCues: true, write: subRip },
  txt: { contentType: 'text/plain; charset=utf-8', hasCues: false, write: ({ text }) => `${text}\n` },
}

/** Seconds as `HH:MM:SS` and milliseconds, with more than two digits for hours if needed. */
function timeOf(seconds: number, decimalMark: string): string {
  const ms = Math.max(0, Math.round(seconds * 1000))
  const whole = Math.floor(ms / 1000)
  const clock = `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
  const rest = ms % 1000
  return `${clock}${decimalMark}${rest < 100 ? '0' : ''}${two(rest)}`
}

const two = (n: number): string => (n < 10 ? `0${n}` : `${n}`)

/** The time line of a cue. A cue that does not end after its start gets one millisecond. */
const timesOf = ({ start, end }: Cue, decimalMark: string): string =>
  `${timeOf(start, decimalMark)} --> ${timeOf(Math.max(end, start + 0.001), decimalMark)}`

/** Text without empty lines, because an empty line ends a cue. Other line breaks stay. */
function linesOf(text: string): string {
  // Fast path: most cues are one line, and a transcript has thousands of them.
  if (!/[\0\r\n\u2028\u2029]/.test(text)) return text.trim()
  return text
    .replaceAll('\0', '\ufffd')
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** The cues of a transcript. Captions keep those of their author; those of speech are made here. */
function cuesOf({ segments, source }: TranscriptResult, words: readonly TimedWord[] = []): Cue[] {
  const cues: readonly Cue[] = source === 'speech' ? speechCues(segments, words) : segments
  return cues.map((cue) => ({ ...cue, text: linesOf(cue.text) })).filter(({ text }) => text !== '')
}

const vttEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function webVtt(transcript: TranscriptResult, words?: readonly TimedWord[]): string {
  const cues = cuesOf(transcript, words).map((cue) => {
    const text = cue.text.replaceAll(/[&<>]/g, (sign) => vttEscapes[sign] ?? sign).replaceAll('{\\', '{\u200b\\')
    return `${timesOf(cue, '.')}\n${text}\n`
  })
  return `WEBVTT\n\n${cues.join('\n')}`
}

/** SubRip has no escapes. A zero-width space keeps players from reading text as a tag, an entity or a time line. */
const subRipText = (text: string): string =>
  text.replaceAll('-->', '--\u200b>').replaceAll(/[<{](?=[\\/a-z])|&(?=[#\w]+;)/gi, '$&\u200b')

function subRip(transcript: TranscriptResult, words?: readonly TimedWord[]): string {
  const cues = cuesOf(transcript, words).map(
    (cue, index) => `${index + 1}\n${timesOf(cue, ',')}\n${subRipText(cue.text)}\n`,
  )
  return cues.join('\n')
}
