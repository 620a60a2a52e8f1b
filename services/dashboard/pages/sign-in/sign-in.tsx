/** @jsxRuntime automatic @jsxImportSource preact */
import { linkPaths } from '#packages/accounts/people/links.ts'
import { Field, FormProblem, Notice, Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Flash, type Page, page, type Redirect, type Route, redirect } from '../../route.ts'
import { PasswordField } from '../account/password-again.tsx'
import { refusedIn, refusedWith, submitted } from '../submitted.ts'
import { nextPath } from './next-path.ts'
import { Door, noSessionsPage, ProviderButton } from './parts.tsx'

type Parts = Pick<DashboardParts, 'signIns' | 'sessions'>

type Shown = {
  next: string
  flash: Flash
  /** The visitor signed in a moment ago, but the browser sent no cookie. */
  isForgotten?: boolean
}

/** `/sign-in` and `/sign-out`. */
export const signInRoutes = ({ signIns, sessions }: Parts, options: PageOptions): Route[] => [
  {
    path: '/sign-in',
    access: 'anyone',
    get({ visitor, query, baseUrl, flash }) {
      const next = nextPath(query.get('next'))
      if (visitor !== undefined) return redirect(next)
      return (
        noSessionsPage(baseUrl, options) ??
        signInPage(options, { next, flash, isForgotten: query.get('signed-in') !== null })
      )
    },
    async post({ form, address, sessionToken }) {
      const next = nextPath(form.get('next'))
      const email = form.get('email') ?? ''
      const password = form.get('password') ?? ''
      const { done, refusal } = await submitted(() => signIns.signIn({ email, password, address }))
      if (refusal)
        return redirect(`/sign-in?${new URLSearchParams({ next })}`, { flash: refusedWith(refusal, { email }) })
      if (done.type === 'code-asked') return redirect(linkPaths.code, { signInUnderWay: { state: done.token, next } })
      if (sessionToken !== undefined) await sessions.end(sessionToken)
      return signedIn(done.session, next)
    },
  },
  {
    path: '/sign-out',
    access: 'anyone',
    async post({ sessionToken }) {
      if (sessionToken !== undefined) await sessions.end(sessionToken)
      return redirect('/sign-in', { notice: 'signed-out', session: null })
    },
  },
]

/** Redirects through `/sign-in`, which checks whether the browser has kept the cookie. */
export const signedIn = (session: string, next: string): Redirect =>
  redirect(`/sign-in?signed-in&next=${encodeURIComponent(next)}`, { session, signInUnderWay: null })

/** The form, with its problems. */
export function signInPage(options: PageOptions, { next, flash, isForgotten }: Shown): Page {
  const { status, problems, typed } = refusedIn(flash)
  const { root } = options
  return page({
    title: 'Sign in',
    status,
    main: (
      <Door
        title="Sign in"
        below={
          <p>
            No account yet? <a href={`${root}/sign-up`}>Sign up</a>
          </p>
        }
      >
        {isForgotten && (
          <Notice tone="warn">
            <p>Your browser did not keep you signed in. Allow cookies for this address, then sign in again.</p>
          </Notice>
        )}
        <FormProblem problems={problems} />
        <form method="post" action={`${root}/sign-in`}>
          <input type="hidden" name="next" value={next} />
          <Field
            name="email"
            label="E-mail"
            type="email"
            value={typed.get('email') ?? ''}
            required
            autocomplete="username"
            problems={problems}
          />
          <PasswordField problems={problems} />
          <Submit tone="main full">Sign in</Submit>
          <ProviderButton options={options} />
        </form>
        <p class="after">
          <a href={`${root}/forgot`}>Forgot your password?</a>
        </p>
      </Door>
    ),
  })
}
