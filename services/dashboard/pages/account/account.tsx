/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Session } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { Facts, Field, FormProblem, Notice, Time } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Page, type PersonPageContext, page, pathOf, type Route, redirect } from '../../route.ts'
import { NewPassword } from '../sign-in/parts.tsx'
import { refusedIn, submitted } from '../submitted.ts'
import { type NamedMembership, namedMemberships } from './named-memberships.ts'

type Parts = Pick<DashboardParts, 'passwords' | 'sessions' | 'details'>

/** `/account`: one person, independent of organizations. */
export const accountRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/account',
    access: 'person',
    get: (context) => accountPage(parts, options, context),
  },
  {
    path: '/account/password',
    access: 'person',
    async post({ form, visitor }) {
      const given = { current: form.get('current') ?? '', password: form.get('password') ?? '' }
      const { refusal } = await submitted(() => parts.passwords.change(visitor, given))
      return redirect('/account', refusal ? { flash: { refusal } } : { notice: 'password-changed' })
    },
  },
  {
    path: '/account/sessions',
    access: 'person',
    async post({ visitor, form }) {
      const one = form.get('session')
      if (one === null) await parts.sessions.endOthers(visitor)
      else await parts.sessions.endListed(visitor, one)
      return redirect('/account', { notice: one === null ? 'sessions-ended' : 'session-ended' })
    },
  },
]

async function accountPage(
  { sessions, details }: Parts,
  options: PageOptions,
  { visitor, flash }: Pick<PersonPageContext, 'visitor' | 'flash'>,
): Promise<Page> {
  const { status, problems } = refusedIn(flash)
  const { root, providerName } = options
  const { account, session } = visitor
  const [memberships, open] = await Promise.all([namedMemberships(details, account), sessions.list(account.id)])
  return page({
    title: 'Your account',
    section: 'account',
    status,
    main: (
      <>
        <h1>Your account</h1>
        {account.promised && (
          <Notice>
            <p>
              Your organization <strong>{account.promised.name}</strong> is being made. Load this page again in a
              minute.
            </p>
          </Notice>
        )}
        <section class="card">
          <h2>You</h2>
          <Facts
            facts={{
              'E-mail': (
                <>
                  {account.email} <a href={`${root}/account/email`}>Change</a>
                </>
              ),
              Since: <Time at={isoOf(account.createdAt)} />,
              'Signs in with': account.identity !== null && (providerName ?? 'the provider of this service'),
              Organizations: <Organizations root={root} memberships={memberships} />,
            }}
          />
        </section>
        {account.passwordHash === null ? (
          <NoPassword options={options} />
        ) : (
          <section class="card">
            <h2>Change password</h2>
            <FormProblem problems={problems} />
            <form class="narrow" method="post" action={`${root}/account/password`}>
              <Field
                name="current"
                label="Current password"
                type="password"
                required
                autocomplete="current-password"
                problems={problems}
              />
              <NewPassword problems={problems} label="New password" />
              <p class="quiet small">This signs you out everywhere else.</p>
              <button type="submit">Change password</button>
            </form>
          </section>
        )}
        {account.passwordHash !== null && (
          <section class="card">
            <div class="head">
              <h2>Two-factor authentication</h2>
              <span class={account.secondFactor ? 'badge good' : 'badge'}>{account.secondFactor ? 'On' : 'Off'}</span>
            </div>
            <p>After your password, you enter a code from an authenticator app on your phone.</p>
            <a class="button" href={`${root}/account/two-factor`}>
              {account.secondFactor ? 'Manage' : 'Set up'}
            </a>
          </section>
        )}
        <Sessions root={root} sessions={open} current={session.hash} />
        <section class="card">
          <h2>Delete the account</h2>
          <p>You will see what is deleted, and confirm with your password.</p>
          <a class="button bad" href={`${root}/account/delete`}>
            Delete my account
          </a>
        </section>
      </>
    ),
  })
}

const Organizations = ({ root, memberships }: { root: string; memberships: NamedMembership[] }): VNode =>
  memberships.length === 0 ? (
    <>None. An owner of one can invite you by a link.</>
  ) : (
    <ul class="plain">
      {memberships.map(({ orgId, name, role }) => (
        <li key={orgId}>
          <a href={root + pathOf(orgId, 'overview')}>{name}</a> <span class="badge">{role}</span>
        </li>
      ))}
    </ul>
  )

const NoPassword = ({ options: { root, sendsMail } }: { options: PageOptions }): VNode => (
  <section class="card">
    <h2>Password</h2>
    <p>
      You sign in with your provider, so you have no password.
      {sendsMail && (
        <>
          {' '}
          To have one as well, <a href={`${root}/forgot`}>ask for a link</a>.
        </>
      )}
    </p>
  </section>
)

const Sessions = ({ root, sessions, current }: { root: string; sessions: Session[]; current: string }): VNode => (
  <section class="card">
    <div class="head">
      <h2>Sessions</h2>
      {sessions.length > 1 && (
        <form method="post" action={`${root}/account/sessions`}>
          <button type="submit">Sign out everywhere else</button>
        </form>
      )}
    </div>
    <Table
      caption="Most recent first. Sessions expire after 14 days of inactivity."
      rows={sessions}
      keyOf={({ hash }) => hash}
      columns={{
        'Last seen': ({ lastSeenAt }) => <Time at={isoOf(lastSeenAt)} />,
        'Signed in': ({ createdAt }) => <Time at={isoOf(createdAt)} />,
        'Sign out': ({ hash, createdAt }) =>
          hash === current ? (
            <span class="badge good">This one</span>
          ) : (
            <form method="post" action={`${root}/account/sessions`}>
              <input type="hidden" name="session" value={hash} />
              <button type="submit" aria-label={`End the session of ${isoOf(createdAt).slice(0, 16)}`}>
                End
              </button>
            </form>
          ),
      }}
    />
  </section>
)
