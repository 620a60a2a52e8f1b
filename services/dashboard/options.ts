import type { SpeechTraits } from '#packages/content/speech/traits.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'

/** How the dashboard is set up. */
export type DashboardOptions = {
  /** The service's address for people, without a final slash (PUBLIC_URL); undefined: the one that browsers send. */
  publicUrl: string | undefined
  /** Who may sign up (SIGNUP). */
  signup: 'open' | 'invited' | 'closed'
  /** Whether mails can be sent (SMTP_URL). */
  sendsMail: boolean
  /** The label of the button for the operator's OpenID provider; undefined: there is none. */
  providerName: string | undefined
  /** The page that sells larger plans (UPGRADE_URL). */
  upgradeUrl: string | undefined
  /** The operator's address, for questions (OPERATOR_EMAIL). */
  operatorEmail: string | undefined
  /** The operator's own pages, linked at the foot of pages for people who are not signed in (TERMS_URL and so on). */
  termsUrl: string | undefined
  privacyUrl: string | undefined
  statusUrl: string | undefined
  /** The most jobs that may begin in a minute. */
  jobsPerMinute: Readonly<Record<Plan, number>>
  /** A video with captions. The first call that a new customer sees requests its transcript (EXAMPLE_URL). */
  exampleUrl: string
  /** The beginning of its transcript. */
  exampleWords: string
  /** Whether a language model is configured: without one there are no extractions. */
  extracts: boolean
  speech: SpeechTraits
  /** The most items of one batch on the plan Pro (BATCH_MAX_ITEMS). */
  batchMaxItems: number
  /** How many days back usage is shown (RETENTION_DAYS); undefined: without limit. */
  retentionDays: number | undefined
  /** How long the appends of one request are retried, milliseconds. */
  giveUpAfterMs: number
}

/** The options of every page. `root`: the dashboard's path. */
export type PageOptions = DashboardOptions & { root: string }
