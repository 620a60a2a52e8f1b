/** @jsxRuntime automatic @jsxImportSource preact */
import { hydrate, render } from 'preact'
import type { TimelineEntry } from '../pages/jobs/timeline-entry.ts'
import { type TimelineParts, TimelineView } from '../pages/jobs/timeline-view.tsx'
import { type Mount, replaceFromServer } from './replace.ts'

const TICK_MS = 1000
/** The pause before the page is loaded again after its event stream was refused. */
const AGAIN_MS = 5000

/** The timeline of a running job. When the job ends, the whole page is loaded again, with the result. */
export function job(element: HTMLElement, mount: Mount): void {
  const { address, ...given } = JSON.parse(element.dataset.props ?? '{}') as TimelineParts & { address: string }
  const events: TimelineEntry[] = [...given.events]
  let { progress } = given
  const beganAt = performance.now()
  const view = () => <TimelineView events={events} progress={progress} now={given.now + performance.now() - beganAt} />
  const show = (): void => render(view(), element)
  hydrate(<TimelineView {...given} />, element)
  const ticks = setInterval(show, TICK_MS)
  let source: EventSource | undefined

  const stop = (): void => {
    source?.close()
    clearInterval(ticks)
    document.removeEventListener('visibilitychange', follow)
  }
  const showWhole = async (): Promise<void> => {
    const isShown = await replaceFromServer('main', location.href, mount)
    // The element that replaced this one is an island of its own.
    if (!element.isConnected) return stop()
    setTimeout(isShown ? follow : showWhole, AGAIN_MS)
  }
  // A hidden tab closes its connection, because browsers allow only a few.
  function follow(): void {
    source?.close()
    if (document.hidden) return
    source = new EventSource(`${address}?after=${events.at(-1)?.id ?? 0}`)
    source.addEventListener('told', ({ data }) => {
      events.push(JSON.parse(data))
      progress = null
      show()
    })
    source.addEventListener('progress', ({ data }) => {
      progress = JSON.parse(data)
      show()
    })
    source.addEventListener('end', () => {
      source?.close()
      void showWhole()
    })
    source.addEventListener('error', () => {
      // Browsers reconnect by themselves unless the answer was not a stream.
      if (source?.readyState === EventSource.CLOSED) setTimeout(showWhole, AGAIN_MS)
    })
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}
