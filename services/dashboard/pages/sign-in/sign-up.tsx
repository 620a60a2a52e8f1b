/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import { Field, FormProblem, formatNumber, type Problems } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Answer, type Page, type PageContext, page, pathOf, type Route, redirect } from '../../route.ts'
import { submitted } from '../submitted.ts'
import { firstKeyPage } from './first-key.tsx'
import { type Invited, invitedBy } from './invited.ts'
import { Door, NewPassword, noSessionsPage, Operator, ProviderButton } from './parts.tsx'

type Parts = Pick<DashboardParts, 'signUps' | 'sessions' | 'members' | 'details'>

type Typed = { organization?: string; email?: string; problems?: Problems; status?: number }

/** `/sign-up`. The page of an invitation shows the same form, with what it invites to. */
export const signUpRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/sign-up',
    access: 'anyone',
    get({ visitor, baseUrl }) {
      if (visitor !== undefined) return redirect('/')
      if (options.signup !== 'open') return notOpenPage(options)
      return noSessionsPage(baseUrl, options) ?? signUpPage(options, undefined, {})
    },
    post: (context) => signUp(parts, options, context),
  },
]

async function signUp({ signUps, ...parts }: Parts, options: PageOptions, context: PageContext): Promise<Answer> {
  const { visitor, form, address, baseUrl } = context
  // Such as the same form once more, by the button that loads a page again.
  if (visitor !== undefined) return redirect('/')
  const token = form.get('invitation') ?? undefined
  const typed = { organization: form.get('organization') ?? '', email: form.get('email') ?? '' }
  const password = form.get('password') ?? ''
  const { done, refusal } = await submitted(() => signUps.signUp({ ...typed, password, invitation: token, address }))
  if (refusal) {
    if (token === undefined) return signUpPage(options, undefined, { ...typed, ...refusal })
    return signUpPage(options, await invitedBy(parts, token), { ...typed, ...refusal })
  }
  if (done.type === 'confirm') return checkMailPage(options, typed.email)
  const session = done.session
  if (done.key !== undefined) return { ...firstKeyPage(options, { ...done.key, baseUrl, isSignedIn: true }), session }
  const [joined] = done.account.memberships
  return joined === undefined
    ? redirect('/', { session })
    : redirect(pathOf(joined.orgId, 'overview'), { session, notice: 'joined' })
}

/** @param invited undefined: nobody invited the visitor */
export function signUpPage(options: PageOptions, invited: Invited | undefined, typed: Typed): Page {
  const { root, sendsMail } = options
  const { organization, email = invited?.email ?? '', problems, status = 200 } = typed
  const title = invited?.organization === undefined ? 'Sign up' : `Join ${invited.organization.name}`
  return page({
    title,
    status,
    main: (
      <Door title={title} below={<SignInInstead root={root} invited={invited} />}>
        <Lead invited={invited} />
        <FormProblem problems={problems} />
        <form method="post" action={`${root}/sign-up`}>
          {invited && <input type="hidden" name="invitation" value={invited.token} />}
          {invited?.organization === undefined && (
            <Field
              name="organization"
              label="Organization"
              value={organization ?? ''}
              required
              maxLength={100}
              autocomplete="organization"
              hint="The name of your company, team or project."
              problems={problems}
            />
          )}
          <Field
            name="email"
            label="E-mail"
            type="email"
            value={email}
            required
            maxLength={254}
            autocomplete="username"
            problems={problems}
            {...(sendsMail && invited?.email === undefined ? { hint: 'We mail you a link to confirm it.' } : {})}
          />
          <NewPassword problems={problems} />
          <button class="main full" type="submit">
            {invited?.organization === undefined ? 'Sign up' : 'Sign up and join'}
          </button>
          <ProviderButton options={options} />
        </form>
      </Door>
    ),
  })
}

function Lead({ invited }: { invited: Invited | undefined }): VNode {
  if (invited?.organization !== undefined)
    return (
      <p>
        You are invited to <strong>{invited.organization.name}</strong> as{' '}
        {invited.organization.role === 'owner' ? 'an owner' : 'a member'}. Choose a password to make your account.
      </p>
    )
  return (
    <p>{`${formatNumber(SIGN_UP_CREDITS)} credits to begin with, and an API key at once. No card is asked for.`}</p>
  )
}

function SignInInstead({ root, invited }: { root: string; invited: Invited | undefined }): VNode {
  const next =
    invited?.organization === undefined ? '' : `?next=${encodeURIComponent(`/invitation?token=${invited.token}`)}`
  return (
    <p>
      You have an account? <a href={`${root}/sign-in${next}`}>Sign in</a>
    </p>
  )
}

function notOpenPage(options: PageOptions): Page {
  const isInvited = options.signup === 'invited'
  const title = isInvited ? 'Signing up is by invitation' : 'Signing up is closed'
  return page({
    title,
    main: (
      <Door
        title={title}
        below={
          <p>
            You have an account? <a href={`${options.root}/sign-in`}>Sign in</a>
          </p>
        }
      >
        <p>
          {isInvited
            ? 'To make an organization here, ask for an invitation: '
            : 'No new organizations are made here. Ask '}
          <Operator options={options} />.
        </p>
        <p>To join an organization that is here already, ask one of its owners for an invitation link.</p>
        {isInvited && (
          <p class="quiet small">
            If you run this service: <code>npm run accounts -- invite EMAIL</code> invites somebody.
          </p>
        )}
      </Door>
    ),
  })
}

/** The same whether the address has an account or not. */
function checkMailPage({ root }: PageOptions, email: string): Page {
  return page({
    title: 'Check your mail',
    main: (
      <Door title="Check your mail">
        <p>
          We have sent a mail to <strong>{email.trim()}</strong>. Open the link in it within six days, and your
          organization is made with its first key and its credits.
        </p>
        <p>
          Nothing there after a minute? Look among unwanted mail, or <a href={`${root}/sign-in`}>sign in</a>: the link
          is then sent again.
        </p>
      </Door>
    ),
  })
}
