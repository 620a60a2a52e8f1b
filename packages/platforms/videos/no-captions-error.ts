/** Ends a read of captions without caching anything: a video may get captions at any time. */
export class NoCaptionsError extends Error {}
