/**
 * Events that were seen before are missing: the file is older than what was answered from it. It is not opened, so that
 * nothing new is written in the place of what is missing.
 */
export class MissingEventsError extends Error {
  readonly code = 'missing_events'

  /**
   * @param end where the events end now; undefined: there are none
   * @param seen how far they had come, in words
   */
  constructor(what: string, end: number | undefined, seen: string) {
    const now = end === undefined ? 'holds no events' : `ends at position ${end}`
    super(
      `events are missing: ${what} ${now}, and ${seen}. Put back the newest copy of it. ` +
        'To go on without the missing ones, on purpose: npm run history -- accept-end',
    )
  }
}
