/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { FormProblem, SendOrCancel } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Page, type PersonPageContext, page, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { type NamedMembership, namedMemberships } from './named-memberships.ts'
import { PasswordAgain } from './password-again.tsx'

type Parts = Pick<DashboardParts, 'removal' | 'details'>

/** `/account/delete`: lists what ends with the account, then asks for confirmation. */
export const deleteAccountRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/account/delete',
    access: 'person',
    get: (context) => deletePage(parts, options, context),
    async post({ visitor, form }) {
      const { refusal } = await submitted(() => parts.removal.removeOwn(visitor, form.get('password') ?? ''))
      if (refusal) return redirect('/account/delete', { flash: { refusal } })
      return redirect('/sign-in', { notice: 'account-deleted', session: null })
    },
  },
]

async function deletePage(
  { removal, details }: Parts,
  { root }: PageOptions,
  { visitor: { account }, flash }: Pick<PersonPageContext, 'visitor' | 'flash'>,
): Promise<Page> {
  const { status, problems } = refusedIn(flash)
  const [closing, memberships] = await Promise.all([removal.wouldClose(account), namedMemberships(details, account)])
  return page({
    title: 'Delete your account',
    section: 'account',
    status,
    main: (
      <div class="card narrow">
        <h1>Delete your account</h1>
        <p>This cannot be undone. At once:</p>
        <ul>
          <li>You are signed out everywhere, and {account.email} is removed.</li>
          {memberships.map((membership) => (
            <li key={membership.orgId}>
              <Consequence membership={membership} closes={closing.includes(membership.orgId)} />
            </li>
          ))}
        </ul>
        {closing.length > 0 && <p>To keep an organization, make another member its owner first.</p>}
        <FormProblem problems={problems} />
        <form method="post" action={`${root}/account/delete`}>
          <PasswordAgain account={account} problems={problems} />
          <SendOrCancel act="Delete my account" tone="bad" back={`${root}/account`} />
        </form>
      </div>
    ),
  })
}

const Consequence = ({ membership: { name }, closes }: { membership: NamedMembership; closes: boolean }): VNode =>
  closes ? (
    <>
      <strong>{name} is closed</strong>, because you are its last owner: its keys are revoked, its open jobs are
      cancelled, its credits are lost, and its other members lose access; accounts that belong to no other organization
      are deleted too. Its jobs with their results, its keys and its name are permanently deleted within minutes.
      Remaining traces in storage are cleared by the next clean-up.
    </>
  ) : (
    <>You leave {name}, which goes on without you.</>
  )
