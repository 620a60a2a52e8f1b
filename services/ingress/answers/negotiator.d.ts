/** The part of the library that is used here. The library has no types of its own. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: import('node:http').IncomingHttpHeaders })
    /** The type of `available` that the Accept header prefers; undefined if it allows none. */
    mediaType<T extends string>(available: readonly T[]): T | undefined
  }
}
