import { VideoIntelligenceError } from '../client/error.ts'
import { errorCodeWords, failureCodeWords } from '../foundation/errors/code-words.ts'
import { UsageError } from './command.ts'

/** A signal ended the command. */
export class Interrupted extends Error {
  readonly exitCode: number

  /** @param exitCode 128 plus the number of the signal, as in shells */
  constructor(exitCode: number) {
    super('interrupted')
    this.exitCode = exitCode
  }
}

/** Some items of a batch have no result. The results of the others were written. */
export class ItemsFailed extends Error {}

/** How a command may end, with its exit code, in the order of the help. */
export const outcomes = {
  done: { code: 0, about: 'done' },
  unexpected: { code: 1, about: 'an error that has no kind of its own' },
  usage: { code: 2, about: 'wrong arguments, or a request that the service finds invalid' },
  authentication: { code: 3, about: 'no key, a wrong key, or one that may not do this' },
  credits: { code: 4, about: 'the credits, or the plan, do not suffice' },
  notFound: { code: 5, about: 'the video, profile, job or watch does not exist, or is not shown to everybody' },
  rateLimited: { code: 6, about: 'too many requests: try again later' },
  unavailable: { code: 7, about: 'the service or the platform does not answer now: try again later' },
  jobFailed: { code: 8, about: 'the job failed, or items of the batch did: no speech, no captions, too long …' },
  interrupted: { code: 130, about: 'Ctrl-C (143: ended by SIGTERM)' },
} as const satisfies Record<string, { code: number; about: string }>

type Kind = keyof typeof outcomes

const kindsByCode: Readonly<Record<string, Kind>> = {
  invalid_request: 'usage',
  method_not_allowed: 'usage',
  idempotency_conflict: 'usage',
  payload_too_large: 'usage',
  unsupported_media_type: 'usage',
  headers_too_large: 'usage',
  unauthorized: 'authentication',
  forbidden: 'authentication',
  insufficient_credits: 'credits',
  not_found: 'notFound',
  video_unavailable: 'notFound',
  video_private: 'notFound',
  profile_not_found: 'notFound',
  age_restricted: 'notFound',
  geo_blocked: 'notFound',
  login_required: 'notFound',
  rate_limited: 'rateLimited',
  unavailable: 'unavailable',
  network_error: 'unavailable',
  invalid_response: 'unavailable',
  upstream_error: 'unavailable',
  platform_blocked: 'unavailable',
  internal_error: 'unavailable',
}

/** The reasons for `forbidden` that more credits or a larger plan would remove. */
const reasonsOfCredits = new Set(['insufficient_credits', 'monthly_credits', 'plan'])

type Details = { reason?: string; code?: string; required?: string; plansUrl?: string } | null

function kindOf(error: unknown): Kind {
  if (error instanceof UsageError) return 'usage'
  if (error instanceof ItemsFailed) return 'jobFailed'
  if (!(error instanceof VideoIntelligenceError)) return 'unexpected'
  const reason = (error.details as Details)?.reason ?? ''
  if (error.code === 'forbidden' && reasonsOfCredits.has(reason)) return 'credits'
  return kindsByCode[error.code] ?? (failureCodeWords.has(error.code) ? 'jobFailed' : 'unexpected')
}

export const outcomeCodeOf = (error: unknown): number =>
  error instanceof Interrupted ? error.exitCode : outcomes[kindOf(error)].code

const inSeconds = (seconds: number): string => `Try again in ${Math.max(1, Math.ceil(seconds))} seconds.`

function adviceOnForbidden({ reason, required, plansUrl }: NonNullable<Details>, program: string): string {
  switch (reason) {
    case 'insufficient_credits':
    case 'plan':
      return plansUrl === undefined ? `\`${program} me\` shows the credits left.` : `Larger plans: ${plansUrl}`
    case 'monthly_credits':
      return "This key's credits of the month are used up. Use another key, or wait for the next month (UTC)."
    case 'scope':
      return `Use a key with the scope \`${required}\`: \`${program} login\` stores it.`
    default:
      return errorCodeWords.get('forbidden')?.advice ?? ''
  }
}

function adviceOf(error: VideoIntelligenceError, program: string): string | undefined {
  const { code, retryAfterSeconds } = error
  const details = error.details as Details
  if (code === 'unauthorized')
    return `\`${program} login\` stores a key. VIDEO_INTELLIGENCE_API_KEY replaces it while it is set.`
  if (code === 'forbidden') return adviceOnForbidden(details ?? {}, program)
  if (code === 'network_error' || code === 'invalid_response')
    return 'Check that the service runs there: --base-url, VIDEO_INTELLIGENCE_BASE_URL and `login` set the address.'
  if (code === 'idempotency_conflict') return undefined
  // The message names the fields.
  if (code === 'invalid_request') return undefined
  if (retryAfterSeconds !== undefined) return inSeconds(retryAfterSeconds)
  const words = failureCodeWords.get(details?.code ?? code) ?? errorCodeWords.get(code)
  return words?.advice
}

/**
 * What to print about an error: what happened, and what to do. After an interruption, only its own message.
 * @param name of the command
 */
export function linesOf(error: unknown, program: string, name = ''): string[] {
  if (error instanceof Interrupted) return []
  if (error instanceof UsageError)
    return [
      `usage: ${error.message}`,
      `\`${[program, name, '--help'].filter(Boolean).join(' ')}\` shows what it takes.`,
    ]
  if (!(error instanceof VideoIntelligenceError)) return [error instanceof Error ? error.message : String(error)]
  const reason = (error.details as Details)?.code
  const code = reason === undefined ? error.code : `${error.code} (${reason})`
  const advice = adviceOf(error, program)
  const asksOperator = error.code === 'internal_error' && error.requestId !== undefined
  return [
    `${code}: ${error.message}`,
    ...(advice === undefined ? [] : [advice]),
    ...(asksOperator ? [`For the operator: request ${error.requestId}`] : []),
  ]
}
