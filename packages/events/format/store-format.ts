/**
 * The format of stores: of the event file, of events on a server, and of archives. A store of another format is
 * refused. Until the first release, events change in place, and each change raises this number. After that, events
 * change by versions (`versions.ts`), and only changes of the file or the archive itself raise it.
 */
export const storeFormat = 8

/** Why a store cannot be used. @param instead how to use another one */
export const otherFormat = (found: number | undefined, instead: string): string =>
  `format ${found ?? 'unknown'}, and this program reads format ${storeFormat} alone: start the release that has written it, or ${instead}`
