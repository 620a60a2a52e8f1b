type Failure = {
  /** The message for the caller. */
  message: string
  /** The cause is the video or profile itself: reading it in another way does not help. */
  isAboutTheVideo?: true
  /** The video exists, but this service cannot process it, or not yet. */
  isUnfit?: true
  /** The platform has answered, so it was reached. */
  isPlatformAnswer?: true
  /** This service, or something it depends on, failed to do what was possible for this video. */
  isOurs?: true
}

/** The reasons for which a job or a lookup can fail, and their properties. */
const table = {
  video_unavailable: {
    message: 'The video does not exist, or it was removed.',
    isAboutTheVideo: true,
    isPlatformAnswer: true,
  },
  video_private: { message: 'The video is private.', isAboutTheVideo: true, isPlatformAnswer: true },
  /** Only for lookups: no job is about a profile. */
  profile_not_found: {
    message: 'The profile does not exist, or it was removed.',
    isAboutTheVideo: true,
    isPlatformAnswer: true,
  },
  age_restricted: { message: 'The video is age-restricted.', isAboutTheVideo: true, isPlatformAnswer: true },
  geo_blocked: {
    message: 'The video is not available from where this service runs.',
    isAboutTheVideo: true,
    isPlatformAnswer: true,
  },
  login_required: {
    message: 'The video can only be seen after signing in.',
    isAboutTheVideo: true,
    isPlatformAnswer: true,
  },
  platform_blocked: { message: 'The platform refuses to answer this service at the moment.', isOurs: true },
  captions_unavailable: { message: 'The video has no captions. Use mode generate or auto to transcribe its sound.' },
  no_speech: { message: 'No speech was found in the video.' },
  media_unsupported: {
    message: 'The URL does not lead to a readable video or audio file.',
    isUnfit: true,
    isPlatformAnswer: true,
  },
  media_too_large: { message: 'The media file is larger than this service accepts.', isUnfit: true },
  media_too_long: { message: 'The video is longer than can be processed.', isUnfit: true },
  live_not_ended: { message: 'The broadcast has not ended yet.', isUnfit: true, isPlatformAnswer: true },
  insufficient_credits: {
    message: 'The video has no captions, and too few credits are left for speech-to-text.',
  },
  extraction_invalid: { message: 'No answer of the model fits the schema.', isOurs: true },
  result_too_large: { message: 'The result is too large to store.', isOurs: true },
  timeout: { message: 'The job exceeded its processing window.', isOurs: true },
  upstream_error: { message: 'A service that this job depends on failed.', isOurs: true },
  internal_error: { message: 'The job failed inside this service.', isOurs: true },
  cancelled: { message: 'The job was cancelled by its owner; nothing was charged.' },
  not_accepted: { message: 'The job was not accepted; nothing was charged.' },
} as const satisfies Record<string, Failure>

export type FailureCode = keyof typeof table

export const failures: Readonly<Record<FailureCode, Failure>> = table

/** Whether a code from outside is one of ours. */
export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(failures, code)

/** The code of a stored failure. A code that a newer version has written counts as our own failure. */
export const failureCodeOf = (code: string): FailureCode => (isFailureCode(code) ? code : 'internal_error')
