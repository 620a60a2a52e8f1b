import { StepError } from '#packages/errors/step-error.ts'
import { jsonOf, unknownForm } from '../reading/site.ts'
import type { LinkPage } from '../urls/recognised.ts'

/** The page of a clip. With the cookie, YouTube does not ask visitors from Europe for consent first. */
export const clipPage: LinkPage = { headers: { cookie: 'SOCS=CAI' }, targetOf: videoOfClip }

type ClipData = { contents?: unknown; currentVideoEndpoint?: { watchEndpoint?: { videoId?: unknown } } }

/** The page's data: in a separate script, or assigned to a variable. YouTube sends both forms. */
const marks = [/<script\b[^<>]{0,200} id=["']yt-initial-data["'][^<>]{0,200}>/, /\bytInitialData["'\]]{0,2} ?= ?/]

/** The watch page of the video that a clip was cut from. */
function videoOfClip(html: string): string | undefined {
  const mark = marks.map((one) => one.exec(html)).find((found) => found !== null)
  const from = mark === undefined ? html.length : mark.index + mark[0].length
  const script = html.slice(from, html.indexOf('</script', from))
  const data = jsonOf(script.trim().replace(/;$/, '')) as ClipData | undefined
  if (!data) throw unknownForm('YouTube')
  // YouTube sometimes sends a page without the parts that matter
  if (!data.contents && !data.currentVideoEndpoint) throw new StepError('upstream_error', { transient: true })
  const id = data.currentVideoEndpoint?.watchEndpoint?.videoId
  return typeof id === 'string' && /^[\w-]{11}$/.test(id) ? `https://www.youtube.com/watch?v=${id}` : undefined
}
