import type { CaptionTrack } from '../catalogue.ts'
import { type Cue, timestamp } from '../films.ts'

export type TimedText = { type: string; body: string | object }

/** A caption track of `/api/timedtext`. `fmt` is its parameter; without it the format is srv1. */
export function timedText({ cues, kind }: CaptionTrack, fmt: string): TimedText | undefined {
  const spoken = kind === 'automatic'
  switch (fmt) {
    case 'json3':
      return { type: 'application/json; charset=UTF-8', body: spoken ? rollingJson3(cues) : json3(cues) }
    case 'vtt':
      return { type: 'text/vtt; charset=UTF-8', body: spoken ? rollingVtt(cues) : vtt(cues) }
    case 'srv1':
    case '':
      return { type: 'text/xml; charset=UTF-8', body: srv1(cues) }
    case 'srv3':
      return { type: 'text/xml; charset=UTF-8', body: srv3(cues) }
    case 'ttml':
      return { type: 'text/xml; charset=UTF-8', body: ttml(cues) }
    default:
      return undefined
  }
}

const ms = (seconds: number): number => Math.round(seconds * 1_000)
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;')

function json3(cues: Cue[]): object {
  const events = cues.map(({ start, end, text }) => ({
    tStartMs: ms(start),
    dDurationMs: ms(end - start),
    segs: [{ utf8: text }],
  }))
  return { events }
}

/** Each word of a cue with its offset in seconds, spread evenly. */
function wordsOf({ start, end, text }: Cue): { word: string; offset: number }[] {
  const words = text.split(' ')
  return words.map((word, index) => ({ word, offset: ((end - start) * index) / words.length }))
}

/** The form of recognized speech: words with offsets, two lines on the screen at once. */
function rollingJson3(cues: Cue[]): object {
  const window = { tStartMs: 0, dDurationMs: ms(cues.at(-1)?.end ?? 0) }
  const spoken = cues.flatMap((cue, index) => {
    const until = cues[index + 1]?.end ?? cue.end
    const segs = wordsOf(cue).map(({ word, offset }, position) =>
      position === 0 ? { utf8: word } : { utf8: ` ${word}`, tOffsetMs: ms(offset) },
    )
    const newline = { tStartMs: ms(cue.end) - 10, dDurationMs: 10, aAppend: 1, segs: [{ utf8: '\n' }] }
    return [{ tStartMs: ms(cue.start), dDurationMs: ms(until - cue.start), segs }, newline]
  })
  return { events: [window, ...spoken] }
}

const VTT_HEAD = 'WEBVTT\nKind: captions\nLanguage: en\n\n'

const vtt = (cues: Cue[]): string =>
  VTT_HEAD + cues.map(({ start, end, text }) => `${timestamp(start)} --> ${timestamp(end)}\n${text}\n`).join('\n')

/** A line stays until the next one pushes it up. Its words appear one by one. Between lines there is a 10 ms cue. */
function rollingVtt(cues: Cue[]): string {
  const where = 'align:start position:0%'
  const blocks = cues.flatMap((cue, index) => {
    const before = cues[index - 1]?.text ?? ' '
    const [first, ...rest] = wordsOf(cue)
    const tagged = rest.map(({ word, offset }) => `<${timestamp(cue.start + offset)}><c> ${word}</c>`).join('')
    const until = cues[index + 1]?.start ?? cue.end
    const last = until - 0.01
    return [
      `${timestamp(cue.start)} --> ${timestamp(last)} ${where}\n${before}\n${first?.word}${tagged}\n`,
      `${timestamp(last)} --> ${timestamp(until)} ${where}\n${cue.text}\n \n`,
    ]
  })
  return VTT_HEAD + blocks.join('\n')
}

const XML = '<?xml version="1.0" encoding="utf-8" ?>'

/** Escaped twice, like the real one. */
const srv1 = (cues: Cue[]): string =>
  `${XML}<transcript>${cues
    .map(({ start, end, text }) => {
      const seconds = Math.round((end - start) * 1_000) / 1_000
      return `<text start="${start}" dur="${seconds}">${escaped(escaped(text))}</text>`
    })
    .join('')}</transcript>`

const srv3 = (cues: Cue[]): string =>
  `${XML}<timedtext format="3"><body>${cues
    .map(({ start, end, text }) => `<p t="${ms(start)}" d="${ms(end - start)}">${escaped(text)}</p>`)
    .join('\n')}</body></timedtext>`

const ttml = (cues: Cue[]): string =>
  `${XML}<tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml"><body><div>${cues
    .map(({ start, end, text }) => `<p begin="${timestamp(start)}" end="${timestamp(end)}">${escaped(text)}</p>`)
    .join('\n')}</div></body></tt>`
