import type { ProfileVideo } from '#contracts/generated/http.ts'
import type { SourcePage } from '../../paging/take-items.ts'
import { readAll, type Shape } from '../../reading/shape.ts'
import { nextToken } from '../next-token.ts'
import { textOf } from '../watch/text-of.ts'
import { isKnown, parseItem } from './parse-item.ts'

const TABS = ['contents', 'twoColumnBrowseResultsRenderer', 'tabs']
const NONE: SourcePage<ProfileVideo> = { items: [], next: null }

/** YouTube's own message in place of a list. Undefined if it shows a list. */
export function alertOf(answer: Shape): string | undefined {
  const alerts = (answer.optional('list', 'alerts') ?? []).flatMap((one) =>
    one.has('alertRenderer') ? [one.required('object', 'alertRenderer')] : [],
  )
  const alert = alerts.find((one) => one.optional('string', 'type') === 'ERROR')
  return alert && (textOf(alert, 'text') ?? '')
}

/**
 * The first videos of a list, and the token of the next page.
 * @param tab the last part of the requested tab's address; a channel without that tab shows another
 * @throws ShapeError
 */
export function parseFirst(answer: Shape, tab: string | undefined): SourcePage<ProfileVideo> {
  const tabs = answer.required('list', ...TABS).filter((one) => one.has('tabRenderer'))
  const selected = tabs.find((one) => one.optional('boolean', 'tabRenderer', 'selected') === true)
  const shown = (selected ?? answer).required('object', 'tabRenderer')
  if (tab !== undefined && !addressOf(shown).endsWith(`/${tab}`)) return NONE
  return parsePage(flattened(shown.required('object', 'content')), answer)
}

const addressOf = (tab: Shape): string =>
  tab.required('string', 'endpoint', 'commandMetadata', 'webCommandMetadata', 'url')

/** A later page. @throws ShapeError */
export function parseMore(answer: Shape): SourcePage<ProfileVideo> {
  const actions = answer.required('list', 'onResponseReceivedActions')
  const part = (actions.find((one) => one.has('appendContinuationItemsAction')) ?? answer).required(
    'object',
    'appendContinuationItemsAction',
  )
  // the page after the last one comes without a list
  return parsePage((part.optional('list', 'continuationItems') ?? []).flatMap(flattened), answer)
}

/** The parts that contain other parts, and the paths to these. */
const holders = [
  ['richGridRenderer', 'contents'],
  ['sectionListRenderer', 'contents'],
  ['itemSectionRenderer', 'contents'],
  ['playlistVideoListRenderer', 'contents'],
  ['gridRenderer', 'items'],
] as const

function flattened(part: Shape): Shape[] {
  const holder = holders.find(([name]) => part.has(name))
  return holder ? (part.optional('list', ...holder) ?? []).flatMap(flattened) : [part]
}

function parsePage(parts: readonly Shape[], answer: Shape): SourcePage<ProfileVideo> {
  const known = parts.filter(isKnown)
  const others = parts.filter((part) => !isKnown(part) && !isBesideVideos(part))
  // do not report a list with only unknown items as empty
  if (known.length === 0 && others.length > 0) answer.required('object', 'videos')
  return { items: readAll(known, parseItem), next: nextToken(parts) }
}

/** Whether a part is allowed beside videos. A `messageRenderer` says that there are none. */
const isBesideVideos = (part: Shape): boolean =>
  ['continuationItemRenderer', 'continuationItemViewModel', 'messageRenderer', 'adSlotRenderer'].some((name) =>
    part.has(name),
  )
