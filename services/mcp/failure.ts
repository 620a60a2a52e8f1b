import type { CallToolResult } from '@modelcontextprotocol/server'
import { VideoIntelligenceError } from '#packages/client/error.ts'
import { failures, isFailureCode } from '#packages/domain/job/failure.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import { ownBlock, shownJson, videoBlock } from './video-text.ts'

const elsewhere = 'Nothing was charged. Another video is needed: this one cannot be read from here.'
const later = 'Nothing was charged. Call again with the same arguments in a few minutes.'
const smaller = 'Nothing was charged. Use a shorter video, or a video that has captions with mode "native".'

/** The next step for the caller, by the code of the error. */
const nextSteps: Record<string, string> = {
  unauthorized:
    'Ask the user for a valid API key: over stdio it is the environment variable VIDEO_INTELLIGENCE_API_KEY, over HTTP the header x-api-key or Authorization: Bearer.',
  forbidden: 'Tell the user that the credits or the plan do not suffice; GET /v1/me shows what is left.',
  invalid_request: 'Correct the arguments that are named and call again.',
  not_found: 'Check the URL, the username or the jobId.',
  profile_not_found: 'Check the username.',
  video_unavailable: 'Nothing was charged. Check the URL: there is nothing there, or not any more.',
  video_private: elsewhere,
  age_restricted: elsewhere,
  geo_blocked: elsewhere,
  login_required: elsewhere,
  live_not_ended: 'Nothing was charged. Call again when the broadcast has ended.',
  captions_unavailable: 'Nothing was charged. Call again with mode "auto" or "generate" (5 credits).',
  no_speech: 'Nothing was charged. There is nothing to transcribe; extract_from_video also looks at the pictures.',
  insufficient_credits: 'Nothing was charged. Tell the user that speech-to-text takes 5 credits.',
  media_unsupported: 'Nothing was charged. Give the URL of a video page or of a media file.',
  media_too_large: smaller,
  media_too_long: smaller,
  extraction_invalid: 'Nothing was charged. Simplify the schema or the prompt and call again.',
  result_too_large: 'Nothing was charged. Ask for less.',
  payload_too_large: 'Give a shorter prompt or a smaller schema.',
  cancelled: 'Nothing was charged. Call again if you want the result after all.',
  platform_blocked: later,
  not_accepted: later,
  timeout: later,
  upstream_error: later,
  internal_error: later,
  network_error: 'Check that the service runs at VIDEO_INTELLIGENCE_BASE_URL, and call again with the same arguments.',
  invalid_response: 'Check that VIDEO_INTELLIGENCE_BASE_URL is the address of the service.',
}

/** The longest wait that an agent is asked for, seconds. */
const LONGEST_WAIT_SECONDS = 600

/** The next step if the limits of the key forbid the call, by `details.reason`. */
const nextStepsByReason: Record<string, string> = {
  scope: 'Tell the user that this API key lacks the permission; a key with the scopes "read" and "jobs" has all tools.',
  monthly_credits:
    'Tell the user that the monthly credits of this API key are used up; they renew with the next month (UTC).',
}

function nextStepOf({ code, details, retryAfterSeconds }: VideoIntelligenceError): string {
  const byReason = nextStepsByReason[(details as { reason?: string } | null)?.reason ?? '']
  if (byReason !== undefined) return byReason
  if (code === 'rate_limited' || code === 'unavailable') {
    if (retryAfterSeconds === undefined) return 'Tell the user: waiting does not help.'
    if (retryAfterSeconds > LONGEST_WAIT_SECONDS)
      return 'Do not wait. Do what the message says is still possible, or tell the user when to ask again.'
    return `Wait ${Math.max(1, Math.ceil(retryAfterSeconds))} seconds, then call again with the same arguments.`
  }
  // If a read failed because of its video, the details name the reason.
  const reason = (details as { code?: unknown } | null)?.code
  return nextSteps[String(reason)] ?? nextSteps[code] ?? 'Tell the user about this error.'
}

/**
 * The message of a failed job in two parts: our own, and the details after it, which may quote the video
 * (`StepError.customerMessage`).
 */
function partsOf({ code, message }: VideoIntelligenceError): { own: string; told: string } {
  const own = isFailureCode(code) ? failures[code].message : message
  return message.startsWith(own) ? { own, told: message.slice(own.length).trim() } : { own: message, told: '' }
}

/** An error as a result on which a model can act. Rethrows anything but an error of the client. */
export function failureResult(error: unknown): CallToolResult {
  if (!(error instanceof VideoIntelligenceError)) throw error
  const { own, told } = partsOf(error)
  const lines = [
    `code: ${error.code}`,
    `message: ${printable(own)}`,
    ...(error.details === null ? [] : [`details: ${shownJson(error.details)}`]),
    ...(error.jobId === undefined ? [] : [`jobId: ${error.jobId}`]),
    `next step: ${nextStepOf(error)}`,
  ]
  const content = [ownBlock(lines.join('\n')), ...(told === '' ? [] : [videoBlock(told)])]
  return { isError: true, content }
}
