/** The part of the library that is used here; it has no types of its own. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: import('node:http').IncomingHttpHeaders })
    /** The one of `available` that the Accept header prefers; undefined where it allows none. */
    mediaType<T extends string>(available: readonly T[]): T | undefined
  }
}
