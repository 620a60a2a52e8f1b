/**
 * The format of stores: of the event file, of events on a server, and of archives. A store of another format is refused.
 * Events change by versions (`versions.ts`); only a change of the file or the archive itself raises this number.
 */
export const storeFormat = 8

/** Why a store cannot be used. @param instead how to use another one */
export const otherFormat = (found: number | undefined, instead: string): string =>
  `format ${found ?? 'unknown'}, and this program reads format ${storeFormat} alone: start the release that has written it, or ${instead}`
