type Failure = {
  /** What the person who asked is told. */
  message: string
  /** The video itself is the reason: no other way of reading it avoids this failure. */
  isAboutTheVideo?: true
  /** The platform was reached and has answered, though not with what was asked for. */
  isPlatformAnswer?: true
}

/** Why a job can fail, and what follows from it. */
const table = {
  video_unavailable: {
    message: 'The video does not exist, or it was removed.',
    isAboutTheVideo: true,
    isPlatformAnswer: true,
  },
  video_private: { message: 'The video is private.', isAboutTheVideo: true, isPlatformAnswer: true },
  age_restricted: { message: 'The video is restricted by age.', isAboutTheVideo: true, isPlatformAnswer: true },
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
  platform_blocked: { message: 'The platform refuses to answer this service at the moment.' },
  captions_unavailable: { message: 'The video has no captions; mode generate or auto transcribes its sound.' },
  no_speech: { message: 'Nothing is said in the video.' },
  media_unsupported: {
    message: 'What the URL leads to is not a video or audio file that can be read.',
    isPlatformAnswer: true,
  },
  media_too_large: { message: 'The media file is larger than this service accepts.' },
  media_too_long: { message: 'The video is longer than can be processed.' },
  live_not_ended: { message: 'The broadcast has not ended yet.', isPlatformAnswer: true },
  insufficient_credits: {
    message: 'The video has no captions, and the credits left do not pay for speech-to-text.',
  },
  extraction_invalid: { message: 'The model gave no answer that fits the schema.' },
  result_too_large: { message: 'The result is too large to be kept.' },
  timeout: { message: 'The job exceeded its processing window.' },
  upstream_error: { message: 'A service that this job depends on failed.' },
  internal_error: { message: 'The job failed inside this service.' },
  not_accepted: { message: 'The job was not accepted; nothing was charged.' },
} as const satisfies Record<string, Failure>

export type FailureCode = keyof typeof table

export const failures: Readonly<Record<FailureCode, Failure>> = table

/** Whether a code that was read somewhere is one of ours. */
export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(failures, code)
