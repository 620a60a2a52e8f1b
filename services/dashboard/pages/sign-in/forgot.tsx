/** @jsxRuntime automatic @jsxImportSource preact */
import { Field, FormProblem, type Problems } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Page, page, type Route, redirect } from '../../route.ts'
import { submitted } from '../submitted.ts'
import { Door, NewPassword, Operator } from './parts.tsx'

/** `/forgot` mails a link to `/reset`, where a new password is chosen. */
export const forgotRoutes = ({ passwords }: Pick<DashboardParts, 'passwords'>, options: PageOptions): Route[] => [
  {
    path: '/forgot',
    access: 'anyone',
    get: () => (options.sendsMail ? forgotPage(options, {}) : askOperatorPage(options)),
    async post({ form, address }) {
      if (!options.sendsMail) return askOperatorPage(options)
      const email = form.get('email') ?? ''
      const { refusal } = await submitted(() => passwords.requestReset({ email, address }))
      return refusal ? forgotPage(options, { email, ...refusal }) : linkSentPage(options, email)
    },
  },
  {
    path: '/reset',
    access: 'anyone',
    get: ({ query }) => resetPage(options, { token: query.get('token') ?? '' }),
    async post({ form }) {
      const token = form.get('token') ?? ''
      const { refusal } = await submitted(() => passwords.reset(token, form.get('password') ?? ''))
      if (refusal) return resetPage(options, { token, ...refusal })
      return redirect('/sign-in', { notice: 'password-reset', session: null })
    },
  },
]

type Shown = { email?: string; problems?: Problems; status?: number }

const BackToSignIn = ({ root }: { root: string }) => (
  <p>
    <a href={`${root}/sign-in`}>Back to signing in</a>
  </p>
)

const forgotPage = ({ root }: PageOptions, { email, problems, status = 200 }: Shown): Page =>
  page({
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
            value={email}
            required
            autocomplete="username"
            hint="We mail you a link that works for an hour."
            problems={problems}
          />
          <button class="main full" type="submit">
            Mail me a link
          </button>
        </form>
      </Door>
    ),
  })

/** The same whether the address has an account or not. */
const linkSentPage = ({ root }: PageOptions, email: string): Page =>
  page({
    title: 'Check your mail',
    main: (
      <Door title="Check your mail" below={<BackToSignIn root={root} />}>
        <p>
          If <strong>{email.trim()}</strong> has an account here, a link is on its way to it. It works once, for an
          hour.
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
          This service sends no mail. Ask <Operator options={options} /> for a link by which you choose a new password.
        </p>
        <p class="quiet small">
          If you run this service: <code>npm run accounts -- reset EMAIL</code> prints one.
        </p>
      </Door>
    ),
  })

const resetPage = (
  { root }: PageOptions,
  { token, problems, status = 200 }: { token: string; problems?: Problems; status?: number },
): Page =>
  page({
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
        <p>You are then signed out everywhere.</p>
        <form method="post" action={`${root}/reset`}>
          <input type="hidden" name="token" value={token} />
          <NewPassword problems={problems} label="New password" />
          <button class="main full" type="submit">
            Change the password
          </button>
        </form>
      </Door>
    ),
  })
