import { isLoopback, isLoopbackUrl, isPrivateUrl } from './address.ts'

/** The variables that depend on each other, by their names in `Config`. */
type DashboardConfig = Readonly<
  Record<'signUp' | 'publicUrl' | 'smtpUrl' | 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret', string | undefined>
> & { host: string; dashboard: string }

export type SignUpRule = 'open' | 'invited' | 'closed'

/**
 * Whether only people on this machine can reach the service. With a PUBLIC_URL others can too, by a proxy on this
 * machine.
 */
function isForThisMachine({ host, publicUrl }: Pick<DashboardConfig, 'host' | 'publicUrl'>): boolean {
  return isLoopback(host) && (publicUrl === undefined || isLoopbackUrl(publicUrl))
}

/** Who may sign up: anybody if only people on this machine can reach it, otherwise only those who are invited. */
export const signUpRuleOf = (config: Pick<DashboardConfig, 'signUp' | 'host' | 'publicUrl'>): SignUpRule =>
  (config.signUp as SignUpRule | undefined) ?? (isForThisMachine(config) ? 'open' : 'invited')

/** Problems of variables that are valid separately, in words. Values are not shown. */
export function dashboardProblems(config: DashboardConfig): string[] {
  if (config.dashboard === 'off') return []
  const { smtpUrl, oidcIssuer, oidcClientId, oidcClientSecret, publicUrl } = config
  const needsUrl = !isLoopback(config.host) && publicUrl === undefined
  const oidc = [oidcIssuer, oidcClientId, oidcClientSecret].filter((value) => value !== undefined)
  const rules: [boolean, string][] = [
    [
      !isForThisMachine(config) && signUpRuleOf(config) === 'open' && smtpUrl === undefined,
      'SIGNUP=open needs SMTP_URL where HOST or PUBLIC_URL is not loopback: addresses are confirmed by mail',
    ],
    [smtpUrl !== undefined && needsUrl, 'SMTP_URL needs PUBLIC_URL where HOST is not loopback: mails have links'],
    [oidc.length > 0 && oidc.length < 3, 'set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none of them'],
    [
      oidcIssuer !== undefined && needsUrl,
      'OIDC_ISSUER needs PUBLIC_URL where HOST is not loopback: the provider sends people back',
    ],
    [oidcIssuer !== undefined && !isPrivateUrl(oidcIssuer), 'OIDC_ISSUER must be https, or http on this machine'],
  ]
  return rules.flatMap(([isBroken, words]) => (isBroken ? [words] : []))
}
