/** @jsxRuntime automatic @jsxImportSource preact */
import { Field, FormProblem, Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Flash, type Page, page, type Route, redirect } from '../../route.ts'
import { refusedIn, refusedWith, submitted } from '../submitted.ts'
import { Door, NewPassword, Operator } from './parts.tsx'

/** `/forgot` mails a link to `/reset`, where the person chooses a new password. */
export const forgotRoutes = ({ passwords }: Pick<DashboardParts, 'passwords'>, options: PageOptions): Route[] => [
  {
    path: '/forgot',
    access: 'anyone',
    get({ flash }) {
      if (!options.sendsMail) return askOperatorPage(options)
      return flash.sentTo === undefined ? forgotPage(options, flash) : linkSentPage(options, flash.sentTo)
    },
    async post({ form, address }) {
      if (!options.sendsMail) return redirect('/forgot')
      const email = form.get('email') ?? ''
      const { refusal } = await submitted(() => passwords.requestReset({ email, address }))
      return redirect('/forgot', { flash: refusal ? refusedWith(refusal, { email }) : { sentTo: email.trim() } })
    },
  },
  {
    path: '/reset',
    access: 'anyone',
    get: ({ query, flash }) => resetPage(options, query.get('token') ?? '', flash),
    async post({ form }) {
      const token = form.get('token') ?? ''
      const { refusal } = await submitted(() => passwords.reset(token, form.get('password') ?? ''))
      if (refusal) return redirect(`/reset?${new URLSearchParams({ token })}`, { flash: { refusal } })
      return redirect('/sign-in', { notice: 'password-reset', session: null })
    },
  },
]

const BackToSignIn = ({ root }: { root: string }) => (
  <p>
    <a href={`${root}/sign-in`}>Back to sign-in</a>
  </p>
)

function forgotPage({ root }: PageOptions, flash: Flash): Page {
  const { status, problems, typed } = refusedIn(flash)
  return page({
    title: 'Choose a new password',
    status,
    main: (
      <Door title="Choose a new password" below={<BackToSignIn root={root} />}>
        <FormProblem problems={problems} />
        <form method="post" action={`${root}/forgot`}>
          <Field
            name="email"
            label="E-mail"
            type="email"
            value={typed.get('email') ?? ''}
            required
            autocomplete="username"
            hint="We will send you a link that works for one hour."
            problems={problems}
          />
          <Submit tone="main full">Send me a link</Submit>
        </form>
      </Door>
    ),
  })
}

/** The same whether or not the address has an account. */
const linkSentPage = ({ root }: PageOptions, email: string): Page =>
  page({
    title: 'Check your mail',
    main: (
      <Door title="Check your mail" below={<BackToSignIn root={root} />}>
        <p>
          If <strong>{email}</strong> has an account here, a link is on its way to it. It works once, for an hour.
        </p>
      </Door>
    ),
  })

const askOperatorPage = (options: PageOptions): Page =>
  page({
    title: 'Choose a new password',
    main: (
      <Door title="Choose a new password" below={<BackToSignIn root={options.root} />}>
        <p>
          This service sends no mail. Ask <Operator options={options} /> for a link to reset your password.
        </p>
        <p class="quiet small">
          If you run this service: <code>npm run accounts -- reset EMAIL</code> prints one.
        </p>
      </Door>
    ),
  })

function resetPage({ root }: PageOptions, token: string, flash: Flash): Page {
  const { status, problems } = refusedIn(flash)
  return page({
    title: 'Choose a new password',
    status,
    main: (
      <Door
        title="Choose a new password"
        below={
          <p>
            <a href={`${root}/forgot`}>Ask for another link</a>
          </p>
        }
      >
        <FormProblem problems={problems} />
        <p>This signs you out everywhere.</p>
        <form method="post" action={`${root}/reset`} data-island="inPlace">
          <input type="hidden" name="token" value={token} />
          <NewPassword problems={problems} label="New password" />
          <Submit tone="main full">Change password</Submit>
        </form>
      </Door>
    ),
  })
}
