import type { Shape } from '../../reading/shape.ts'
import { secondsOfClock } from '../../reading/times.ts'
import { textOf } from './text-of.ts'

type Chapter = { start: number; title: string }

const PLAYER_BAR = [
  'playerOverlays',
  'playerOverlayRenderer',
  'decoratedPlayerBarRenderer',
  'decoratedPlayerBarRenderer',
  'playerBar',
  'chapteredPlayerBarRenderer',
  'chapters',
]
const MARKERS = ['engagementPanelSectionListRenderer', 'content', 'macroMarkersListRenderer', 'contents']

/** The chapters, from the same places as yt-dlp: the player's bar, the panel of key moments, the description. */
export function chaptersOf(next: Shape, description: string | null, duration: number): Chapter[] {
  const panels = next.optional('list', 'engagementPanels') ?? []
  const sources = [
    () => ofBar(next.optional('list', ...PLAYER_BAR) ?? []),
    ...panels.map((panel) => () => ofPanel(panel.optional('list', ...MARKERS) ?? [])),
    () => ofLines(description ?? '', TIME_FIRST),
    () => ofLines(description ?? '', TIME_LAST),
  ]
  for (const source of sources) {
    const chapters = inOrder(source(), duration)
    if (chapters.length > 0) return chapters
  }
  return []
}

const ofBar = (items: readonly Shape[]): Chapter[] =>
  items.flatMap((item) => {
    const start = item.optional('count', 'chapterRenderer', 'timeRangeStartMillis')
    return chapterOf(start === null ? null : start / 1000, textOf(item, 'chapterRenderer', 'title'))
  })

const ofPanel = (items: readonly Shape[]): Chapter[] =>
  items.flatMap((item) =>
    chapterOf(
      secondsOfClock(textOf(item, 'macroMarkersListItemRenderer', 'timeDescription')),
      textOf(item, 'macroMarkersListItemRenderer', 'title'),
    ),
  )

const chapterOf = (start: number | null, title: string | null): Chapter[] =>
  start === null || title === null ? [] : [{ start, title }]

const TIME_FIRST = /^\s*(?<time>(?:\d+:)?\d{1,2}:\d{2})\b[^\p{L}\p{N}_\n]*\s(?<title>\S.*?)\s*$/u
const TIME_LAST = /^\s*(?<title>\S.*?)\b[^\p{L}\p{N}_\n]*\s(?<time>(?:\d+:)?\d{1,2}:\d{2})\s*$/u
/** Longer lines are prose, and the patterns would take long on them. */
const MAX_LINE = 300

const ofLines = (description: string, pattern: RegExp): Chapter[] =>
  description
    .split('\n')
    .filter((line) => line.length <= MAX_LINE)
    .flatMap((line) => {
      const { time = '', title = '' } = pattern.exec(line)?.groups ?? {}
      return chapterOf(secondsOfClock(time), title || null)
    })
    .toSorted((a, b) => a.start - b.start)

/** Leaves out chapters that begin before the previous one, or past the end. */
function inOrder(chapters: readonly Chapter[], duration: number): Chapter[] {
  const kept: Chapter[] = []
  for (const chapter of chapters)
    if (chapter.start >= (kept.at(-1)?.start ?? 0) && chapter.start <= duration) kept.push(chapter)
  return kept
}
