/** Ends a read of captions so that nothing is cached: a video may get captions at any time. */
export class NoCaptionsError extends Error {}
