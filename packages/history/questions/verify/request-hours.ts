import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'

/** An hour has at most one event, whichever processes count. */
export function requestHours(): Check {
  const verdict = new Verdict('', 'the requests of an organization are told once in an hour at most')
  const hours = new Map<string, string>()
  return {
    verdict,
    onEvent(event) {
      if (event.type !== 'RequestsCounted') return
      verdict.checked()
      const before = hours.get(event.stream) ?? ''
      if (event.data.hour <= before) verdict.broken(event, `the hour ${event.data.hour} comes after ${before}`)
      hours.set(event.stream, event.data.hour)
    },
  }
}
