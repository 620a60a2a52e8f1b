/**
 * Events that were seen before are missing: the file is older than answers that were given from it. It is not opened,
 * so that no new events take the positions of the missing ones.
 */
export class MissingEventsError extends Error {
  readonly code = 'missing_events'

  /**
   * @param end the present last position; undefined if there are no events
   * @param seen how far the events had come, in words
   */
  constructor(what: string, end: number | undefined, seen: string) {
    const now = end === undefined ? 'holds no events' : `ends at position ${end}`
    super(
      `events are missing: ${what} ${now}, and ${seen}. Put back the newest copy of it. ` +
        'To go on without the missing ones, on purpose: npm run history -- accept-end',
    )
  }
}
