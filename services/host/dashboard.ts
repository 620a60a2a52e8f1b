import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { type AccountParts, createAccountParts } from '#packages/accounts/people/account-parts.ts'
import type { AccountOptions, AccountPorts } from '#packages/accounts/people/account-ports.ts'
import { type WatchedMailer, watchedMailer } from '#packages/accounts/people/watched-mailer.ts'
import type { Thumbnails } from '#packages/content/thumbnails/thumbnails.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { signUpRuleOf } from '#packages/foundation/config/dashboard-rules.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { anonymousAccess } from '#services/dashboard/anonymous-access.ts'
import type { createDashboard } from '#services/dashboard/dashboard.tsx'
import { type IngressOptions, writtenWords } from '#services/ingress/options.ts'
import type { Pages } from '#services/ingress/routes/pages.ts'
import type { Shared } from '#services/ingress/shared.ts'
import { localUrl } from './local-url.ts'

/** The path of the dashboard below the address of the service. */
export const dashboardPath = '/dashboard'

/** The sign-in provider. Its variables are set together or not at all (readConfig). */
function providerOf(config: Config): Pick<AccountOptions, 'provider'> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcName: name } = config
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return {}
  return { provider: { issuer, clientId, clientSecret, name } }
}

/** Sends the dashboard's mails; undefined if no server is configured. */
export async function openMailer(
  { smtpUrl: url, mailFrom: from }: Config,
  ports: { clock: Clock; telemetry: Telemetry },
): Promise<WatchedMailer | undefined> {
  if (url === undefined || from === undefined) return undefined
  const { SmtpMailer } = await import('#packages/adapters/smtp/mailer.ts')
  return watchedMailer(new SmtpMailer({ url, from }), url, ports)
}

export type MountedDashboard = {
  accounts: AccountParts
  pages(shared: Shared): Pages
  /** Call it with the port at which the service listens. Links lead there if PUBLIC_URL is not set. */
  servedAt(port: number): void
}

/** The dashboard's accounts, and its pages, which are loaded at the first request for one. */
export function mountDashboard(
  config: Config,
  ports: AccountPorts & { thumbnails: Pick<Thumbnails, 'of'>; platforms: Pick<Platforms, 'standing'> },
  ingress: Pick<IngressOptions, 'extracts' | 'speech' | 'batchMaxItems' | 'rates' | 'examples'>,
): MountedDashboard {
  let listensAt = localUrl(config.host, config.port)
  const baseUrl = (): string => config.publicUrl ?? listensAt
  const rule = signUpRuleOf(config)
  const provider = providerOf(config)
  const accountParts = createAccountParts(ports, {
    signUp: rule,
    signUpsPerDay: config.signUpsPerDay,
    operatorEmail: config.operatorEmail,
    dashboardUrl: () => `${baseUrl()}${dashboardPath}`,
    ...provider,
  })
  const options = {
    publicUrl: config.publicUrl,
    signup: rule,
    sendsMail: ports.mailer !== undefined,
    providerName: provider.provider?.name,
    upgradeUrl: config.upgradeUrl,
    operatorEmail: config.operatorEmail,
    termsUrl: config.termsUrl,
    privacyUrl: config.privacyUrl,
    statusUrl: config.statusUrl,
    exampleUrl: config.exampleUrl,
    exampleWords: ingress.examples[writtenWords] ?? writtenWords,
    extracts: ingress.extracts,
    speech: ingress.speech,
    batchMaxItems: ingress.batchMaxItems,
    jobsPerMinute: ingress.rates.heavy,
    retentionDays: config.retentionDays,
    giveUpAfterMs: 5000,
  }
  return {
    accounts: accountParts,
    servedAt(port) {
      listensAt = localUrl(config.host, port)
    },
    pages({ accounts, lookups, readiness, ...shared }) {
      let loading: ReturnType<typeof createDashboard> | undefined
      const load = async () => {
        const { createDashboard } = await import('#services/dashboard/dashboard.tsx')
        const organizations = new Organizations(ports)
        // The path as browsers see it: a proxy may remove a prefix.
        const before = config.publicUrl === undefined ? '' : new URL(config.publicUrl).pathname.replace(/\/$/, '')
        const { attempts, thumbnails, platforms } = ports
        const resources = {
          ...shared,
          ports,
          people: accountParts,
          customers: { ...accounts, organizations },
          jobs: { ...shared.jobs, attempts },
          readers: { ...shared.readers, lookups, thumbnails },
          health: { readiness, platforms },
        }
        return createDashboard(before + dashboardPath, resources, options)
      }
      return {
        ...anonymousAccess(dashboardPath, accountParts.sessions),
        answer(request, response, about) {
          loading ??= load()
          loading
            .then((dashboard) => dashboard.answer(request, response, about))
            .catch((err) => {
              ports.log.error({ err }, 'the dashboard could not be loaded')
              loading = undefined
              response.destroy()
            })
        },
      }
    },
  }
}
