import { isLoopback } from './address.ts'
import {
  number,
  oneOf,
  optional,
  optionalBaseUrl,
  optionalOneOf,
  optionalSmtpUrl,
  optionalUrl,
  type Values,
} from './variable.ts'

/** The variables of the dashboard. */
export const dashboardVariables = {
  dashboard: oneOf('DASHBOARD', ['on', 'off'], 'on', 'whether there is a dashboard at `/dashboard`'),
  signUp: optionalOneOf(
    'SIGNUP',
    ['open', 'invited', 'closed'],
    'who may make an organization there: anybody, whoever an operator invites, or nobody; unset: anybody where HOST is loopback, else whoever is invited',
  ),
  signUpsPerDay: number(
    'SIGNUPS_PER_DAY',
    50,
    'organizations that get their 50 credits in a day (UTC) where anybody may sign up',
  ),
  smtpUrl: optionalSmtpUrl('SMTP_URL', 'the server that takes mails: `smtp://user:password@host:587`, or `smtps://`'),
  mailFrom: optional('MAIL_FROM', 'the sender of these mails: `Video Intelligence <no-reply@example.com>`'),
  oidcIssuer: optionalBaseUrl(
    'OIDC_ISSUER',
    'an OpenID provider that people may sign in with, `https://id.example.com`',
  ),
  oidcClientId: optional('OIDC_CLIENT_ID', 'the id of this service there'),
  oidcClientSecret: optional('OIDC_CLIENT_SECRET', 'its secret'),
  oidcName: optional('OIDC_NAME', 'what the provider is called on the button; unset: its host'),
  upgradeUrl: optionalUrl('UPGRADE_URL', 'the page that sells credits, shown where they run out'),
  operatorEmail: optional('OPERATOR_EMAIL', 'the address shown there where no page sells credits'),
} as const

type DashboardConfig = Values<typeof dashboardVariables> & { host: string; publicUrl: string | undefined }

export type SignUpRule = 'open' | 'invited' | 'closed'

/** Who may sign up: anybody on a machine that only its own people reach, else whoever is invited. */
export const signUpRuleOf = ({ signUp, host }: Pick<DashboardConfig, 'signUp' | 'host'>): SignUpRule =>
  (signUp as SignUpRule | undefined) ?? (isLoopback(host) ? 'open' : 'invited')

/** What is wrong with variables that each are right by themselves, in words. No value is shown. */
export function dashboardProblems(config: DashboardConfig): string[] {
  if (config.dashboard === 'off') return []
  const isLocal = isLoopback(config.host)
  const { smtpUrl, mailFrom, oidcIssuer, oidcClientId, oidcClientSecret, publicUrl } = config
  const needsUrl = !isLocal && publicUrl === undefined
  const oidc = [oidcIssuer, oidcClientId, oidcClientSecret].filter((value) => value !== undefined)
  const rules: [boolean, string][] = [
    [
      !isLocal && signUpRuleOf(config) === 'open' && smtpUrl === undefined,
      'SIGNUP=open needs SMTP_URL where HOST is not loopback: addresses are confirmed by mail',
    ],
    [(smtpUrl === undefined) !== (mailFrom === undefined), 'set both SMTP_URL and MAIL_FROM, or none of them'],
    [smtpUrl !== undefined && needsUrl, 'SMTP_URL needs PUBLIC_URL where HOST is not loopback: mails have links'],
    [oidc.length > 0 && oidc.length < 3, 'set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none of them'],
    [
      oidcIssuer !== undefined && needsUrl,
      'OIDC_ISSUER needs PUBLIC_URL where HOST is not loopback: the provider sends people back',
    ],
    [oidcIssuer !== undefined && !isSafeIssuer(oidcIssuer), 'OIDC_ISSUER must be https, or http on this machine'],
  ]
  return rules.flatMap(([isBroken, words]) => (isBroken ? [words] : []))
}

function isSafeIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}
