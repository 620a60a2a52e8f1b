/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Answer, type Page, type PageContext, page, pathOf, type Route, redirect } from '../../route.ts'
import { submitted } from '../submitted.ts'
import { type Invited, invitationPath, invitedBy } from './invited.ts'
import { Door, noSessionsPage } from './parts.tsx'
import { signUpPage } from './sign-up.tsx'

type Parts = Pick<DashboardParts, 'members' | 'details'>

/** `/invitation`: visitors join if they are signed in. Others sign up or sign in first. */
export const invitationRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/invitation',
    access: 'anyone',
    get: (context) => show(parts, options, context),
    async post({ visitor, form }) {
      const token = form.get('token') ?? ''
      if (visitor === undefined) return redirect(`/sign-in?next=${encodeURIComponent(invitationPath(token))}`)
      const { done: orgId, refusal } = await submitted(() => parts.members.accept(token, visitor.account))
      if (refusal) return redirect(invitationPath(token), { flash: { refusal } })
      return redirect(pathOf(orgId, 'overview'), { notice: 'joined' })
    },
  },
]

async function show(parts: Parts, options: PageOptions, context: PageContext): Promise<Answer> {
  const { visitor, query, baseUrl, flash } = context
  const noSessions = noSessionsPage(baseUrl, options)
  if (noSessions) return noSessions
  const { done: invited, refusal } = await submitted(() => invitedBy(parts, query.get('token') ?? ''))
  if (refusal) return overPage(options, refusal.status)
  if (visitor === undefined) return signUpPage(options, invited, flash)
  if (flash.refusal) return overPage(options, flash.refusal.status)
  const { email, memberships } = visitor.account
  const { organization } = invited
  if (organization === undefined) return otherAccountPage(options, email)
  const isMember = memberships.some(({ orgId }) => orgId === organization.orgId)
  return isMember
    ? redirect(pathOf(organization.orgId, 'overview'))
    : joinPage(options, { ...invited, organization }, email)
}

type ToJoin = Invited & { organization: NonNullable<Invited['organization']> }

function joinPage({ root }: PageOptions, { token, organization: { name, role } }: ToJoin, email: string): Page {
  const title = `Join ${name}`
  return page({
    title,
    main: (
      <Door title={title} below={<SignOut root={root} email={email} />}>
        <p>
          You are invited to <strong>{name}</strong> as {role === 'owner' ? 'an owner' : 'a member'}.
        </p>
        <form method="post" action={`${root}/invitation`}>
          <input type="hidden" name="token" value={token} />
          <Submit tone="main full">Join</Submit>
        </form>
      </Door>
    ),
  })
}

const otherAccountPage = ({ root }: PageOptions, email: string): Page =>
  page({
    title: 'You already have an account',
    main: (
      <Door title="You already have an account" below={<SignOut root={root} email={email} />}>
        <p>This invitation is for a new account. To use it, sign out and open it again.</p>
      </Door>
    ),
  })

const SignOut = ({ root, email }: { root: string; email: string }): VNode => (
  <form method="post" action={`${root}/sign-out`}>
    <p>
      You are signed in as {email}.{' '}
      <button class="link" type="submit">
        Sign out
      </button>
    </p>
  </form>
)

const overPage = ({ root }: PageOptions, status: number): Page =>
  page({
    title: 'This invitation does not work',
    status,
    main: (
      <Door title="This invitation does not work">
        <p>It was used, withdrawn or has expired. Ask the person who sent it for a new one.</p>
        <a class="button" href={root}>
          Go to the dashboard
        </a>
      </Door>
    ),
  })
