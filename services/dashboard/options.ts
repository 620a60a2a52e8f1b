import type { SpeechTraits } from '#packages/content/speech/traits.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'

/** How the dashboard is set up. */
export type DashboardOptions = {
  /** Where people reach the service, without a slash at its end (PUBLIC_URL); undefined: where their browser says. */
  publicUrl: string | undefined
  /** Who may sign up (SIGNUP). */
  signup: 'open' | 'invited' | 'closed'
  /** Whether mails can be sent (SMTP_URL). */
  sendsMail: boolean
  /** The label of the button for the operator's OpenID provider; undefined: there is none. */
  providerName: string | undefined
  /** Where a larger plan is bought (UPGRADE_URL). */
  upgradeUrl: string | undefined
  /** Whom to ask (OPERATOR_EMAIL). */
  operatorEmail: string | undefined
  /** The operator's own pages, at the foot of pages for people who are not signed in (TERMS_URL and so on). */
  termsUrl: string | undefined
  privacyUrl: string | undefined
  statusUrl: string | undefined
  /** Jobs that may begin in a minute. */
  jobsPerMinute: Readonly<Record<Plan, number>>
  /** A video that has captions: the first call that somebody is shown asks for its transcript (EXAMPLE_URL). */
  exampleUrl: string
  /** What its transcript begins with. */
  exampleWords: string
  /** Whether a language model is configured: without one there are no extractions. */
  extracts: boolean
  speech: SpeechTraits
  /** Items of one batch on the plan Pro (BATCH_MAX_ITEMS). */
  batchMaxItems: number
  /** How many days usage is told back (RETENTION_DAYS); undefined: since ever. */
  retentionDays: number | undefined
  /** How long appends of one request are tried again, milliseconds. */
  giveUpAfterMs: number
}

/** What every page may need to know. `root`: the dashboard's path. */
export type PageOptions = DashboardOptions & { root: string }
