import { isLoopback } from './address.ts'

/** The variables that have rules between them, as `Config` has them. */
type DashboardConfig = Readonly<
  Record<
    'signUp' | 'publicUrl' | 'smtpUrl' | 'mailFrom' | 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret',
    string | undefined
  >
> & { host: string; dashboard: string }

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
