/**
 * The format of stores: of the event file, of events on a server, and of archives. A store of another format is refused.
 * Until the first release it rises with every change of an event, which is made in place; from then on events change by
 * versions (`versions.ts`), and this rises only with the file or the archive itself.
 */
export const storeFormat = 8

/** Why a store cannot be used. @param instead how a person names another one */
export const otherFormat = (found: number | undefined, instead: string): string =>
  `format ${found ?? 'unknown'}, and this program reads format ${storeFormat} alone: start the release that has written it, or ${instead}`
