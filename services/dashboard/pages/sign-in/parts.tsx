/** @jsxRuntime automatic @jsxImportSource preact */
/** Shared parts of the pages for people who are not signed in. */
import type { ComponentChildren, VNode } from 'preact'
import { keepsSessions } from '../../http/origin.ts'
import { CopyBox, Field, type Problems } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import { type Page, page } from '../../route.ts'

/** One card with a heading, and the content below it. */
export const Door = ({
  title,
  children,
  below,
}: {
  title: string
  children: ComponentChildren
  below?: ComponentChildren
}): VNode => (
  <>
    <section class="card">
      <h1>{title}</h1>
      {children}
    </section>
    {below && <div class="below">{below}</div>}
  </>
)

/** The field for a new password. It states the rules first, and can show the password if scripts run. */
export const NewPassword = ({
  problems,
  label = 'Password',
}: {
  problems: Problems | undefined
  label?: string
}): VNode => (
  <div data-island="reveal">
    <Field
      name="password"
      label={label}
      type="password"
      required
      autocomplete="new-password"
      hint="At least 15 characters. A sentence of a few unusual words is easy to remember and hard to guess."
      problems={problems}
    />
  </div>
)

/** The button for the operator's provider. It does not need the other fields of its form. */
export const ProviderButton = ({ options }: { options: PageOptions }): VNode | null =>
  options.providerName === undefined ? null : (
    <>
      <p class="or">or</p>
      <button class="full" type="submit" formAction={`${options.root}/provider`} formNoValidate>
        {`Continue with ${options.providerName}`}
      </button>
    </>
  )

/** How to contact the operator. */
export const Operator = ({ options }: { options: PageOptions }): VNode =>
  options.operatorEmail === undefined ? (
    <>the operator of this service</>
  ) : (
    <a href={`mailto:${options.operatorEmail}`}>{options.operatorEmail}</a>
  )

/**
 * Replaces a form that cannot work, because at this address browsers silently drop the session cookie.
 * @returns undefined if they keep it
 */
export function noSessionsPage(baseUrl: string, { root }: PageOptions): Page | undefined {
  if (keepsSessions(baseUrl)) return undefined
  const { origin, port, hostname } = new URL(baseUrl)
  const here = `http://localhost${port === '' ? '' : `:${port}`}${root}`
  return page({
    title: 'Open the dashboard at another address',
    main: (
      <Door title="Open the dashboard at another address">
        <p>
          You came to <code>{origin}</code>. Browsers keep you signed in only over <code>https</code> or on the machine
          itself, so signing in here would not last.
        </p>
        <h2>On the machine that runs the service</h2>
        <p>
          Open{' '}
          <a class="breaks" href={here}>
            {here}
          </a>
          , or forward that port to yours:
        </p>
        <CopyBox text={`ssh -L ${port || '80'}:localhost:${port || '80'} ${hostname}`} />
        <h2>From anywhere else: add TLS</h2>
        <p>
          Point a domain at the machine, run a proxy that gets a certificate by itself, and set <code>PUBLIC_URL</code>:
        </p>
        <CopyBox
          text={`caddy reverse-proxy --from video.example.com --to localhost:${port || '80'}\nPUBLIC_URL=https://video.example.com npm start`}
        />
      </Door>
    ),
  })
}
