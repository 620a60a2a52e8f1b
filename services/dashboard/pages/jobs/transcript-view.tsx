/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import {
  marked,
  type Place,
  type Placed,
  patternOf,
  type TranscriptPage,
} from '#packages/content/results/transcript-page.ts'
import { videoAt } from '#packages/platforms/urls/video-at.ts'
import { formatNumber, OutLink } from '../../look/parts.tsx'
import { clockOf, languageWords, sourceWords } from './job-words.tsx'
import { SpeechMap } from './speech-map.tsx'

export type TranscriptParts = {
  /** The address of the job's page. */
  path: string
  /** The video. */
  url: string
  transcript: TranscriptPage
  place: Place
}

/** A transcript, or the requested part of it, with the times of its segments. */
export function TranscriptView({ path, url, transcript, place }: TranscriptParts): VNode {
  const { all, words, language, source } = transcript
  return (
    <section class="card" aria-labelledby="transcript">
      <div class="head">
        <h2 id="transcript">Transcript</h2>
        <div class="row">
          <button type="button" data-island="copyFile" data-file={`${path}/transcript.txt`} hidden>
            Copy text
          </button>
          {['srt', 'vtt', 'txt', 'json'].map((form) => (
            <a key={form} class="button" href={`${path}/transcript.${form}`} download>
              {form.toUpperCase()}
            </a>
          ))}
        </div>
      </div>
      {all === 0 ? (
        <p>This video has no speech.</p>
      ) : (
        <>
          <p class="quiet">
            {language === null ? 'Language not known' : languageWords(language)}, from {sourceWords[source]},{' '}
            {formatNumber(all)} segments, {formatNumber(words)} words
          </p>
          <form class="search" method="get" action={`${path}#transcript`} data-island="find" data-shows="segments">
            <div class="field">
              <label for="find">Find in the text</label>
              <input id="find" name="find" type="search" value={place.find} maxLength={100} autocomplete="off" />
            </div>
            <button type="submit">Search</button>
          </form>
          <Segments path={path} url={url} place={place} shown={transcript} />
        </>
      )}
    </section>
  )
}

type SegmentsParts = {
  path: string
  url: string
  place: Place
  shown: TranscriptPage
}

function Segments({ path, url, place, shown }: SegmentsParts): VNode {
  const { segments, found, all, page, pages, map } = shown
  const { find } = place
  const pattern = patternOf(place)
  // A link to a moment needs the page of the transcript that contains it.
  const linkTo = (seconds: number): string => `${path}?t=${seconds}#t=${seconds}`
  return (
    <div id="segments">
      <SpeechMap map={map} linkTo={linkTo} />
      {find !== '' && (
        <p role="status">
          {found === 0 ? 'Nothing matches.' : `${formatNumber(found)} of ${formatNumber(all)} segments match.`}{' '}
          <a href={`${path}#transcript`}>Show all</a>
        </p>
      )}
      <ol class="segments" start={(segments[0]?.index ?? 0) + 1}>
        {segments.map((segment, index) => (
          <Segment
            key={segment.index}
            segment={segment}
            url={url}
            isFirst={segments[index - 1]?.start !== segment.start}
            find={pattern}
            href={find === '' ? `#t=${segment.start}` : linkTo(segment.start)}
          />
        ))}
      </ol>
      {pages > 1 && <Pages path={path} find={find} page={page} pages={pages} />}
    </div>
  )
}

type SegmentParts = { segment: Placed; url: string; isFirst: boolean; find: RegExp | undefined; href: string }

/** `isFirst`: the first of the segments that begin at this time. Only that one gets the time's id. */
function Segment({ segment: { start, text, speaker, isCut }, url, isFirst, find, href }: SegmentParts): VNode {
  const at = videoAt(url, Math.floor(start))
  return (
    <li id={isFirst ? `t=${start}` : undefined}>
      <a class="at" href={href}>
        {clockOf(start)}
      </a>
      <p>
        {speaker !== undefined && <strong>{speaker}: </strong>}
        {marked(text, find).map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece))}
        {isCut && <span class="quiet"> … (cut here; the files have all of it)</span>}
      </p>
      {at !== undefined && (
        <OutLink href={at}>
          <span class="hidden">Watch from {clockOf(start)}</span>
          <span aria-hidden="true">↗</span>
        </OutLink>
      )}
    </li>
  )
}

type PagesParts = { path: string; find: string; page: number; pages: number }

function Pages({ path, find, page, pages }: PagesParts): VNode {
  const linkTo = (to: number): string => {
    const query = new URLSearchParams([...(find === '' ? [] : [['find', find]]), ['page', String(to)]])
    return `${path}?${query}#transcript`
  }
  return (
    <nav class="row" aria-label="Parts of the transcript">
      {page > 1 && (
        <a class="button" href={linkTo(page - 1)}>
          Previous part
        </a>
      )}
      <span>
        Part {page} of {pages}
      </span>
      {page < pages && (
        <a class="button" href={linkTo(page + 1)}>
          Next part
        </a>
      )}
    </nav>
  )
}
