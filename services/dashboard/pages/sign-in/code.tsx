/** @jsxRuntime automatic @jsxImportSource preact */
import { linkPaths } from '#packages/accounts/people/links.ts'
import { Field, FormProblem, Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Flash, type Page, page, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { nextPath } from './next-path.ts'
import { Door, Operator } from './parts.tsx'
import { signedIn } from './sign-in.tsx'

type Parts = Pick<DashboardParts, 'signIns' | 'sessions'>

/** `/sign-in/code`: after the password, for people with a second factor. A session begins only after a correct code. */
export const signInCodeRoutes = ({ signIns, sessions }: Parts, options: PageOptions): Route[] => [
  {
    path: linkPaths.code,
    access: 'anyone',
    get: ({ signInUnderWay, flash }) =>
      signInUnderWay === undefined ? redirect('/sign-in') : codePage(options, flash),
    async post({ form, address, signInUnderWay, sessionToken }) {
      const { state: token = '', next = '/' } = signInUnderWay ?? {}
      const code = form.get('code') ?? ''
      const { done: session, refusal, error } = await submitted(() => signIns.answer({ token, code, address }))
      if (refusal && (error.code === 'not_found' || error.code === 'unauthorized'))
        return redirect(`/sign-in?${new URLSearchParams({ next })}`, { flash: { refusal }, signInUnderWay: null })
      if (refusal) return redirect(linkPaths.code, { flash: { refusal } })
      if (sessionToken !== undefined) await sessions.end(sessionToken)
      return signedIn(session, nextPath(next))
    },
  },
]

function codePage(options: PageOptions, flash: Flash): Page {
  const { status, problems } = refusedIn(flash)
  const { root } = options
  return page({
    title: 'Enter your code',
    status,
    main: (
      <Door
        title="Enter your code"
        below={
          <p>
            <a href={`${root}/sign-in`}>Back to signing in</a>
          </p>
        }
      >
        <FormProblem problems={problems} />
        <form method="post" action={root + linkPaths.code}>
          <Field
            name="code"
            label="Code"
            hint="Six digits from your authenticator app, or one of your recovery codes."
            required
            autocomplete="one-time-code"
            maxLength={40}
            problems={problems}
          />
          <Submit tone="main full">Sign in</Submit>
        </form>
        <p class="after">
          Lost your phone and your recovery codes? Ask <Operator options={options} />.
        </p>
      </Door>
    ),
  })
}
