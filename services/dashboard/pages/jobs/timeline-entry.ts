import type { TimelineEvent } from '#contracts/generated/http.ts'
import type { Step } from '#packages/domain/job/events.ts'

/** An event of a timeline in words. `at`: milliseconds since 1970. */
export type TimelineEntry = {
  id: number
  type: TimelineEvent['type']
  at: number
  step?: Step
  title: string
  detail: string | null
}
