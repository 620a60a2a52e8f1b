/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import { Field, FormProblem, formatNumber, Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import {
  type Flash,
  type Page,
  type PageContext,
  page,
  pathOf,
  type Redirect,
  type Route,
  redirect,
} from '../../route.ts'
import { refusedIn, refusedWith, submitted } from '../submitted.ts'
import { toFirstKey } from './first-key.tsx'
import { type Invited, invitationPath } from './invited.ts'
import { Door, NewPassword, noSessionsPage, Operator, ProviderButton } from './parts.tsx'

type Parts = Pick<DashboardParts, 'signUps'>

/** `/sign-up`. The page of an invitation shows the same form, and names the organization. */
export const signUpRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/sign-up',
    access: 'anyone',
    get({ visitor, baseUrl, flash }) {
      if (visitor !== undefined) return redirect('/')
      if (flash.sentTo !== undefined) return checkMailPage(options, flash.sentTo)
      if (options.signup !== 'open') return notOpenPage(options, flash)
      return noSessionsPage(baseUrl, options) ?? signUpPage(options, undefined, flash)
    },
    post: (context) => signUp(parts, context),
  },
]

async function signUp({ signUps }: Parts, { visitor, form, address }: PageContext): Promise<Redirect> {
  // For example the same form again, sent by the browser's reload button.
  if (visitor !== undefined) return redirect('/')
  const token = form.get('invitation') ?? undefined
  const typed = { organization: form.get('organization') ?? '', email: form.get('email') ?? '' }
  const password = form.get('password') ?? ''
  const { done, refusal } = await submitted(() => signUps.signUp({ ...typed, password, invitation: token, address }))
  if (refusal)
    return redirect(token === undefined ? '/sign-up' : invitationPath(token), { flash: refusedWith(refusal, typed) })
  if (done.type === 'confirm') return redirect('/sign-up', { flash: { sentTo: typed.email.trim() } })
  const session = done.session
  if (done.key !== undefined) return { ...toFirstKey({ ...done.key, isSignedIn: true }), session }
  const [joined] = done.account.memberships
  return joined === undefined
    ? redirect('/', { session })
    : redirect(pathOf(joined.orgId, 'overview'), { session, notice: 'joined' })
}

/** Stricter than browsers, which accept `me@example`. If a browser itself refuses, the password stays in its field. */
const emailPattern = '.+@.+\\..+'

/** @param invited undefined: the visitor has no invitation */
export function signUpPage(options: PageOptions, invited: Invited | undefined, flash: Flash): Page {
  const { root, sendsMail } = options
  const { status, problems, typed } = refusedIn(flash)
  const title = invited?.organization === undefined ? 'Sign up' : `Join ${invited.organization.name}`
  return page({
    title,
    status,
    main: (
      <Door title={title} below={<SignInInstead root={root} invited={invited} />}>
        <Lead invited={invited} />
        <FormProblem problems={problems} />
        <form method="post" action={`${root}/sign-up`} data-island="inPlace">
          {invited && <input type="hidden" name="invitation" value={invited.token} />}
          {invited?.organization === undefined && (
            <Field
              name="organization"
              label="Organization"
              value={typed.get('organization') ?? ''}
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
            pattern={emailPattern}
            value={typed.get('email') ?? invited?.email ?? ''}
            required
            maxLength={254}
            autocomplete="username"
            problems={problems}
            {...(sendsMail && invited?.email === undefined ? { hint: 'We will send you a link to confirm it.' } : {})}
          />
          <NewPassword problems={problems} />
          <Submit tone="main full">{invited?.organization === undefined ? 'Sign up' : 'Sign up and join'}</Submit>
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
        {invited.organization.role === 'owner' ? 'an owner' : 'a member'}. Choose a password to create your account.
      </p>
    )
  return <p>{`${formatNumber(SIGN_UP_CREDITS)} free credits and an API key right away. No card needed.`}</p>
}

function SignInInstead({ root, invited }: { root: string; invited: Invited | undefined }): VNode {
  const next =
    invited?.organization === undefined ? '' : `?next=${encodeURIComponent(`/invitation?token=${invited.token}`)}`
  return (
    <p>
      Already have an account? <a href={`${root}/sign-in${next}`}>Sign in</a>
    </p>
  )
}

function notOpenPage(options: PageOptions, flash: Flash): Page {
  const { status, problems } = refusedIn(flash)
  const isInvited = options.signup === 'invited'
  const title = isInvited ? 'Sign-up is by invitation' : 'Sign-up is closed'
  return page({
    title,
    status,
    main: (
      <Door title={title} below={<SignInInstead root={options.root} invited={undefined} />}>
        <FormProblem problems={problems} />
        <p>
          {isInvited
            ? 'To create an organization, ask for an invitation: '
            : 'New organizations cannot be created here. Ask '}
          <Operator options={options} />.
        </p>
        <p>To join an existing organization, ask one of its owners for an invitation link.</p>
        {isInvited && (
          <p class="quiet small">
            If you run this service: <code>npm run accounts -- invite EMAIL</code> creates an invitation.
          </p>
        )}
      </Door>
    ),
  })
}

/** The same whether or not the address has an account. */
function checkMailPage({ root }: PageOptions, email: string): Page {
  return page({
    title: 'Check your mail',
    main: (
      <Door title="Check your mail">
        <p>
          We have sent an e-mail to <strong>{email}</strong>. Open the link in it within six days to create your
          organization, with its first key and credits.
        </p>
        <p>
          Nothing after a minute? Check your spam folder, or <a href={`${root}/sign-in`}>sign in</a>: we will then send
          the link again.
        </p>
      </Door>
    ),
  })
}
