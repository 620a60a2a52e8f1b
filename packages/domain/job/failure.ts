/** Why a job can fail, with what the person who asked is told (ops/adr/0001, failure codes). */
export const failures = {
  video_unavailable: 'The video does not exist, or it was removed.',
  video_private: 'The video is private.',
  age_restricted: 'The video is restricted by age.',
  geo_blocked: 'The video is not available from where this service runs.',
  login_required: 'The video can only be seen after signing in.',
  platform_blocked: 'The platform refuses to answer this service at the moment.',
  captions_unavailable: 'The video has no captions; mode generate or auto transcribes its sound.',
  no_speech: 'Nothing is said in the video.',
  media_unsupported: 'What the URL leads to is not a video or audio file that can be read.',
  media_too_large: 'The media file is larger than this service accepts.',
  media_too_long: 'The video is longer than can be processed.',
  live_not_ended: 'The broadcast has not ended yet.',
  insufficient_credits: 'The video has no captions, and the credits left do not pay for speech-to-text.',
  extraction_invalid: 'The model gave no answer that fits the schema.',
  result_too_large: 'The result is too large to be kept.',
  timeout: 'The job exceeded its processing window.',
  upstream_error: 'A service that this job depends on failed.',
  internal_error: 'The job failed inside this service.',
  not_accepted: 'The job was not accepted; nothing was charged.',
} as const

export type FailureCode = keyof typeof failures

/** True for failures that no other way of reading the same video can avoid. */
export const isAboutTheVideo = (code: string): boolean =>
  code.startsWith('video_') || ['age_restricted', 'geo_blocked', 'login_required'].includes(code)
