import { StepError } from '#packages/foundation/errors/step-error.ts'
import { ConfinedError } from './confined-error.ts'

/**
 * Turns an error of ffmpeg or ffprobe into an error of the step. A refusal is the file's fault (`media_unsupported`). A
 * time limit or a full disk is not (transient `internal_error`). Any other error is returned unchanged.
 */
export function unreadable(error: unknown): unknown {
  if (!(error instanceof ConfinedError)) return error
  if (error.reason === 'not_started') return error
  if (/No space left on device/.test(error.stderr))
    return new StepError('internal_error', { transient: true, cause: error })
  if (error.reason === 'timeout') return new StepError('internal_error', { transient: true, cause: error })
  return new StepError('media_unsupported', { cause: error })
}
