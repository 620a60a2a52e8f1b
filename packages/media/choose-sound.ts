import { baseLanguage } from '#packages/languages/base-language.ts'
import type { MediaStream } from './probe.ts'

/**
 * The sound tracks of a file in the order of trying: the requested language, the track that players take, the others.
 * Comments on the film and descriptions of its picture come last.
 */
export function orderSounds(streams: readonly MediaStream[], lang: string | null): MediaStream[] {
  const asked = baseLanguage(lang)
  const isAsked = ({ language }: MediaStream) => asked !== undefined && baseLanguage(language ?? null) === asked
  const marks = (stream: MediaStream) => [
    !stream.describes,
    !stream.comments,
    isAsked(stream),
    stream.default,
    -stream.index,
  ]
  return streams.filter(({ kind }) => kind === 'audio').toSorted((a, b) => compare(marks(b), marks(a)))
}

function compare(a: (boolean | number)[], b: (boolean | number)[]): number {
  const at = a.findIndex((mark, i) => mark !== b[i])
  return at === -1 ? 0 : Number(a[at]) - Number(b[at])
}
