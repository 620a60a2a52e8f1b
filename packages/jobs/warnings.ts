import type { JobWarning } from '#contracts/generated/http.ts'
import type { DomainEvent } from '#packages/domain/event.ts'

/** How the text of a job differs from what was asked for. @param events of the job, oldest first */
export function warningsOf(events: readonly DomainEvent[]): JobWarning[] {
  const request = events.find((event) => event.type === 'JobRequested')
  const text = events.find((event) => event.type === 'CaptionsRead' || event.type === 'SpeechTranscribed')
  const lacksWords = request?.data.options.words === true && text !== undefined && text.data.words === undefined
  return lacksWords ? [{ code: 'words_unavailable' }] : []
}
